package io.tatami.protocol;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.RefusalSubject;
import io.tatami.base.RefusalSubject.EntrySubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refusals as releases before {@link RefusalFormat} write and read them, on the wire and in remembered replies: a code,
 * a message, and one text whose meaning the code gives. The one place that reads a meaning from such a text.
 *
 * <pre>
 * NOT_LEADER       host:port of the leader
 * UNRESOLVED_LINK  where the symlink leads
 * LEASE_HELD       the file's id, a space and the writer's session, in decimal
 * IS_A_DIRECTORY   of a rename "source" or "destination"
 * NOT_A_DIRECTORY  the path of the file on the way
 * UNSUPPORTED      the name of a file that is stored inline
 * any other        of a write stream the id of the server that failed, in decimal
 * </pre>
 *
 * Messages of those releases have a placeholder for a directory whose path only the client knows.
 */
public final class OlderRefusal {
    private static final String SOURCE = "source";
    private static final String DESTINATION = "destination";
    private static final Pattern ADDRESS = Pattern.compile("(.+):(\\d{1,5})");
    private static final Pattern LEASE = Pattern.compile("(\\d+) (\\d+)");
    private static final Pattern SERVER = Pattern.compile("\\d{1,9}");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(parent|source|destination)}(/?)");

    private OlderRefusal() {}

    /** The detail of an older release; empty for none. */
    public static String detailText(TatamiException failure) {
        if (failure.subject() instanceof RefusalSubject.ServerSubject server) {
            return Integer.toString(server.server().value());
        }
        Detail detail = failure.detail();
        if (detail instanceof Detail.Leader leader) {
            return leader.host() + ":" + leader.port();
        }
        if (detail instanceof Detail.LinkTarget link) {
            return link.target();
        }
        if (detail instanceof Detail.HeldLease held) {
            return held.file().value() + " " + held.writer().value();
        }
        if (detail instanceof Detail.Obstacle obstacle) {
            return obstacle.path();
        }
        if (detail instanceof Detail.StoredInline inline) {
            return inline.name();
        }
        return failure.code() == ErrorCode.IS_A_DIRECTORY ? renameEnd(failure.subject()) : "";
    }

    private static String renameEnd(RefusalSubject subject) {
        if (!(subject instanceof EntrySubject entry)) {
            return "";
        }
        return switch (entry.directory()) {
            case PARENT -> "";
            case SOURCE -> SOURCE;
            case DESTINATION -> DESTINATION;
        };
    }

    /** @param error the number of a code */
    public static TatamiException exception(int error, String message, String detail) {
        ErrorCode code = ErrorCode.ofNumber(error);
        return new TatamiException(
                code, withoutPlaceholders(message), subject(code, detail), detail(code, detail), null);
    }

    private static RefusalSubject subject(ErrorCode code, String text) {
        if (code == ErrorCode.IS_A_DIRECTORY && text.equals(SOURCE)) {
            return new EntrySubject(RequestDirectory.SOURCE, "");
        }
        if (code == ErrorCode.IS_A_DIRECTORY && text.equals(DESTINATION)) {
            return new EntrySubject(RequestDirectory.DESTINATION, "");
        }
        return SERVER.matcher(text).matches()
                ? new RefusalSubject.ServerSubject(new ServerId(Integer.parseInt(text)))
                : RefusalSubject.NONE;
    }

    private static Detail detail(ErrorCode code, String text) {
        if (text.isEmpty()) {
            return Detail.NONE;
        }
        if (code == ErrorCode.NOT_LEADER) {
            return leader(ADDRESS.matcher(text));
        }
        if (code == ErrorCode.UNRESOLVED_LINK) {
            return new Detail.LinkTarget(text);
        }
        if (code == ErrorCode.LEASE_HELD) {
            return heldLease(LEASE.matcher(text));
        }
        if (code == ErrorCode.NOT_A_DIRECTORY) {
            return new Detail.Obstacle(text);
        }
        return code == ErrorCode.UNSUPPORTED ? new Detail.StoredInline(text) : Detail.NONE;
    }

    private static Detail leader(Matcher address) {
        if (!address.matches()) {
            return Detail.NONE;
        }
        int port = Integer.parseInt(address.group(2));
        return port > Detail.Leader.PORT_MAX ? Detail.NONE : new Detail.Leader(address.group(1), port);
    }

    private static Detail heldLease(Matcher lease) {
        if (!lease.matches()) {
            return Detail.NONE;
        }
        try {
            return new Detail.HeldLease(
                    new FileId(Long.parseLong(lease.group(1))), new SessionId(Long.parseLong(lease.group(2))));
        } catch (NumberFormatException e) {
            return Detail.NONE;
        }
    }

    /** An entry by its name alone, and the directory itself as ".". */
    private static String withoutPlaceholders(String message) {
        return PLACEHOLDER.matcher(message).replaceAll(found -> found.group(2).isEmpty() ? "." : "");
    }
}
