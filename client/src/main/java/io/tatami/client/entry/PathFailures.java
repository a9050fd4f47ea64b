package io.tatami.client.entry;

import io.tatami.base.Denial;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject.EntrySubject;
import io.tatami.base.RefusalSubject.PathSubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.TatamiException;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;

/**
 * Makes the messages of failures of shards, which know directories by their ids, with the paths the user gave. A
 * failure with such a message has a {@link PathSubject}, and keeps its message.
 */
final class PathFailures {
    private PathFailures() {}

    /** The same failure about {@code path}. */
    static TatamiException named(TatamiException failure, TatamiPath path) {
        return told(failure, path, path.isRoot() ? path : path.parent());
    }

    /** A failure of a request whose handle is for {@code directory} itself. */
    static TatamiException inDirectory(TatamiException failure, TatamiPath directory) {
        return told(failure, directory, directory);
    }

    /** A failure of the rename of a file. */
    static TatamiException named(TatamiException failure, TatamiPath source, TatamiPath destination) {
        if (failure.subject() instanceof EntrySubject entry && entry.directory() != RequestDirectory.PARENT) {
            return entry.directory() == RequestDirectory.SOURCE
                    ? ofSource(failure, source, destination)
                    : ofDestination(failure, destination);
        }
        return named(failure, isAbsence(failure) ? source : destination);
    }

    /** Whether the failure says that there is nothing at the path. */
    static boolean isAbsence(TatamiException failure) {
        return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.NOT_A_DIRECTORY;
    }

    /** @param parent the directory whose handle was in the request */
    private static TatamiException told(TatamiException failure, TatamiPath path, TatamiPath parent) {
        if (failure.subject() instanceof PathSubject) {
            return failure;
        }
        if (failure.detail() instanceof Detail.LinkTarget link) {
            return new UnresolvedLinkException(path, path, link.target());
        }
        if (failure.detail() instanceof Denial denial && failure.subject() instanceof EntrySubject entry) {
            return denied(failure, denial, entry, parent);
        }
        return switch (failure.code()) {
            case NOT_FOUND -> retold(failure, "File does not exist: " + path, path);
            case ALREADY_EXISTS -> retold(failure, path + " already exists", path);
            case IS_A_DIRECTORY -> retold(failure, "Path is not a file: " + path, path);
            // The file in the way may be the path or one above it, which the message names then.
            case NOT_A_DIRECTORY ->
                failure.detail() instanceof Detail.Obstacle
                        ? failure
                        : retold(failure, path + " (is not a directory)", path);
            case NOT_EMPTY -> retold(failure, path + " is non empty", path);
            // Told in the words of HDFS, whole.
            case PERMISSION_DENIED, INVALID_ARGUMENT -> failure;
            default -> retold(failure, path + ": " + failure.getMessage(), path);
        };
    }

    private static TatamiException ofSource(TatamiException failure, TatamiPath source, TatamiPath destination) {
        return switch (failure.code()) {
            case NOT_FOUND -> retold(failure, "rename source " + source + " is not found", source);
            case ALREADY_EXISTS ->
                source.equals(destination)
                        ? retold(failure, "the source and the destination " + source + " are the same", source)
                        : retold(failure, source + " is a symlink to the rename destination", source);
            case IS_A_DIRECTORY -> retold(failure, source + " is a directory", source);
            default -> named(failure, source);
        };
    }

    private static TatamiException ofDestination(TatamiException failure, TatamiPath destination) {
        return switch (failure.code()) {
            case ALREADY_EXISTS ->
                retold(failure, "rename destination " + destination + " already exists", destination);
            case IS_A_DIRECTORY ->
                retold(failure, "rename destination " + destination + " is a directory", destination);
            default -> named(failure, destination);
        };
    }

    private static TatamiException denied(
            TatamiException failure, Denial denial, EntrySubject entry, TatamiPath directory) {
        String parent = directory.toString();
        String path = entry.name().isEmpty() ? parent : (directory.isRoot() ? "" : parent) + "/" + entry.name();
        return failure.retold(denial.message(path, parent), new PathSubject(path));
    }

    private static TatamiException retold(TatamiException failure, String message, TatamiPath path) {
        return failure.retold(message, new PathSubject(path.toString()));
    }
}
