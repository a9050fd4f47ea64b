package io.tatami.client.entry;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.protocol.MessagePaths;

/** Tells failures of shards, which know directories by their ids, with the path the user gave. */
final class PathFailures {
    private PathFailures() {}

    /** The same failure about {@code path}; one that names it already stays as it is. */
    static TatamiException named(TatamiException failure, TatamiPath path) {
        if (failure instanceof UnresolvedLinkException) {
            return failure;
        }
        if (failure.code() == ErrorCode.UNRESOLVED_LINK) {
            return new UnresolvedLinkException(path, path, failure.detail());
        }
        return path.isRoot() ? told(failure, path) : told(filled(failure, MessagePaths.PARENT, path.parent()), path);
    }

    /** A failure of a request whose handle is for {@code directory} itself. */
    static TatamiException inDirectory(TatamiException failure, TatamiPath directory) {
        return named(filled(failure, MessagePaths.PARENT, directory), directory);
    }

    /** A failure of the rename of a file. */
    static TatamiException named(TatamiException failure, TatamiPath source, TatamiPath destination) {
        if (failure instanceof UnresolvedLinkException) {
            return failure;
        }
        TatamiException filled = filled(
                filled(failure, MessagePaths.SOURCE, source.parent()), MessagePaths.DESTINATION, destination.parent());
        return named(filled, isAbsence(failure) ? source : destination);
    }

    /** Whether the failure says that there is nothing at the path. */
    static boolean isAbsence(TatamiException failure) {
        return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.NOT_A_DIRECTORY;
    }

    private static TatamiException filled(TatamiException failure, String placeholder, TatamiPath directory) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(placeholder)
                ? retold(failure, MessagePaths.filled(message, placeholder, directory.toString()))
                : failure;
    }

    private static TatamiException told(TatamiException failure, TatamiPath path) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains(path.toString()) && !path.isRoot()) {
            return failure;
        }
        return switch (failure.code()) {
            case NOT_FOUND -> retold(failure, "File does not exist: " + path);
            case ALREADY_EXISTS -> retold(failure, path + " already exists");
            case IS_A_DIRECTORY -> retold(failure, "Path is not a file: " + path);
            // A directory above the path is no directory where the message begins with another path.
            case NOT_A_DIRECTORY -> message.startsWith("/") ? failure : retold(failure, path + " (is not a directory)");
            case NOT_EMPTY -> retold(failure, path + " is non empty");
            // Told in the words of HDFS, whole.
            case PERMISSION_DENIED, INVALID_ARGUMENT -> failure;
            default -> retold(failure, path + ": " + message);
        };
    }

    private static TatamiException retold(TatamiException failure, String message) {
        return new TatamiException(failure.code(), message, failure.detail(), failure);
    }
}
