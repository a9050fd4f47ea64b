package io.tatami.hadoop.call;

import io.tatami.base.Denial;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.hadoop.convert.ExceptionTranslator;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * After the cluster has refused something: looks at the paths again, to throw what HDFS would have thrown first. HDFS
 * checks an operation on several paths in one place and one order, the cluster where each of them lies. What has
 * changed since the refusal may show; nothing is changed.
 */
final class RefusalOrder {
    private final TatamiClient client;

    RefusalOrder(TatamiClient client) {
        this.client = client;
    }

    /**
     * Whether {@code failure} is a refusal, which others may have to go before, and not that something did not work.
     */
    static boolean concerns(TatamiException failure) {
        return switch (failure.code()) {
            case NOT_FOUND,
                    ALREADY_EXISTS,
                    IS_A_DIRECTORY,
                    NOT_A_DIRECTORY,
                    NOT_EMPTY,
                    INVALID_ARGUMENT,
                    PERMISSION_DENIED -> true;
            default -> false;
        };
    }

    /**
     * What to throw where a rename failed otherwise than by a refusal: a link on the way to the destination comes after
     * what is wrong with the way to the source.
     */
    IOException otherFailure(TatamiPath source, TatamiException failure) throws IOException {
        if (failure.code() == ErrorCode.UNRESOLVED_LINK) {
            existing(source, false);
        }
        return ExceptionTranslator.translate(failure);
    }

    /** Where the two paths of a rename lead; null for nothing. */
    record Ends(@Nullable PathStatus source, @Nullable PathStatus destination) {}

    /**
     * Throws where the caller may not rename the one into the other.
     *
     * @return whether there is something to be renamed
     */
    boolean requireRenameInto(TatamiPath source, TatamiPath directory) throws IOException {
        Ends ends = new Ends(existing(source, false), forMaking(directory));
        requireRemovable(source, ends.source());
        require(ends.destination(), FsAction.EXECUTE);
        require(ends.destination(), FsAction.WRITE);
        return ends.source() != null;
    }

    /** Throws where the caller may not rename the one to exactly the other. */
    Ends requireRename(TatamiPath source, TatamiPath destination) throws IOException {
        Ends ends = new Ends(existing(source, false), forMaking(destination));
        requireRemovable(source, ends.source());
        requireAddable(destination);
        return ends;
    }

    private @Nullable PathStatus forMaking(TatamiPath path) throws IOException {
        try {
            return look(path, false);
        } catch (TatamiException e) {
            throw ExceptionTranslator.translateMaking(e);
        }
    }

    private @Nullable PathStatus existing(TatamiPath path, boolean followLast) throws IOException {
        try {
            return look(path, followLast);
        } catch (TatamiException e) {
            throw ExceptionTranslator.translate(e);
        }
    }

    private @Nullable PathStatus look(TatamiPath path, boolean followLast) throws TatamiException {
        try {
            return client.status(path, followLast);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** Throws where the caller may not join the sources to the target, or they cannot be joined. */
    void requireConcat(TatamiPath target, List<TatamiPath> sources) throws IOException {
        PathStatus to = existing(target, true);
        require(to, FsAction.WRITE);
        PathStatus file = requireFile(target, to);
        for (TatamiPath source : sources) {
            PathStatus from = existing(source, true);
            require(from, FsAction.READ);
            requireRemovable(source, from);
            PathStatus next = requireFile(source, from);
            boolean joinable = source.parent().equals(target.parent())
                    && !source.equals(target)
                    && next.lengthBytes() > 0
                    && next.blockSizeBytes() <= file.blockSizeBytes();
            if (!joinable) {
                throw new IOException("concat: source file " + source + " cannot be joined to " + target);
            }
        }
    }

    private static PathStatus requireFile(TatamiPath path, @Nullable PathStatus status) throws FileNotFoundException {
        if (status == null) {
            throw new FileNotFoundException("File does not exist: " + path);
        }
        if (!status.isFile()) {
            throw new FileNotFoundException("Path is not a file: " + path);
        }
        return status;
    }

    /** Throws where the caller may not take the path out of its directory, whether or not there is something at it. */
    private void requireRemovable(TatamiPath path, @Nullable PathStatus status) throws IOException {
        PathStatus parent = path.isRoot() ? null : existing(path.parent(), true);
        if (parent == null) {
            return;
        }
        if (status != null) {
            requireSticky(parent, status);
        }
        require(parent, FsAction.WRITE);
    }

    private void requireSticky(PathStatus parent, PathStatus entry) throws AccessControlException {
        String user = client.user().user();
        boolean isKept = (parent.mode() & Denial.STICKY) != 0
                && !parent.isForSuperuser()
                && !parent.owner().equals(user)
                && !entry.owner().equals(user);
        if (isKept) {
            Denial why = new Denial.StickyBit(user, inode(entry), inode(parent));
            throw new AccessControlException(
                    why.message(entry.path().toString(), parent.path().toString()));
        }
    }

    /** Throws where the caller may not write to what is at the path. */
    void requireWritable(TatamiPath path) throws IOException {
        require(existing(path, true), FsAction.WRITE);
    }

    /** Throws where the caller may not make the path: in the deepest directory above it that is there. */
    void requireAddable(TatamiPath path) throws IOException {
        TatamiPath above = path;
        PathStatus deepest = null;
        while (deepest == null && !above.isRoot()) {
            above = above.parent();
            deepest = forMaking(above);
        }
        require(deepest, FsAction.WRITE);
    }

    /** Throws in HDFS's words where the caller may not do all of {@code wanted}; nothing is anybody's to do with. */
    void require(@Nullable PathStatus status, FsAction wanted) throws AccessControlException {
        if (status != null && !status.allows(wanted.ordinal())) {
            Denial why = new Denial.AccessRefused(client.user().user(), wanted.ordinal(), inode(status));
            throw new AccessControlException(why.message(status.path().toString(), ""));
        }
    }

    private static Denial.Inode inode(PathStatus status) {
        return new Denial.Inode(status.owner(), status.group(), status.mode(), status.isDirectory());
    }

    /** Whether the caller is the superuser, of which some refusals depend. */
    boolean isForSuperuser() throws TatamiException {
        return Objects.requireNonNull(look(TatamiPath.ROOT, true)).isForSuperuser();
    }
}
