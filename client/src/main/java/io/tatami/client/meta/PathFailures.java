package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiPath;
import io.tatami.client.UnresolvedLinkException;

/** Tells failures of shards, which know directories by their ids, with the path the user gave. */
final class PathFailures {
    private PathFailures() {}

    /** The same failure about {@code path}; one that names it already stays as it is. */
    static TatamiException named(TatamiException failure, TatamiPath path) {
        String message = String.valueOf(failure.getMessage());
        if (failure.code() == ErrorCode.UNRESOLVED_LINK && !(failure instanceof UnresolvedLinkException)) {
            return new UnresolvedLinkException(path, path, failure.detail());
        }
        if (failure instanceof UnresolvedLinkException || (message.contains(path.toString()) && !path.isRoot())) {
            return failure;
        }
        return switch (failure.code()) {
            case NOT_FOUND -> renamed(failure, "File does not exist: " + path);
            case ALREADY_EXISTS -> renamed(failure, path + " already exists");
            case IS_A_DIRECTORY -> renamed(failure, "Path is not a file: " + path);
            case NOT_A_DIRECTORY -> renamed(failure, path + " (is not a directory)");
            case NOT_EMPTY -> renamed(failure, path + " is non empty");
            default -> renamed(failure, path + ": " + message);
        };
    }

    /** Whether the failure says that there is nothing at the path. */
    static boolean isAbsence(TatamiException failure) {
        return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.NOT_A_DIRECTORY;
    }

    private static TatamiException renamed(TatamiException failure, String message) {
        return new TatamiException(failure.code(), message, failure.detail(), failure);
    }
}
