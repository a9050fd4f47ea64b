package io.tatami.hadoop;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.TatamiPath;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;

/**
 * The rename that FileContext uses: exactly to the destination, in one step, with an exception for every refusal. Where
 * HDFS's exceptions tell more apart than the cluster's codes, the two paths are looked at again, after the failure.
 */
final class StrictRename {
    private StrictRename() {}

    static void rename(TatamiClient client, TatamiPath source, TatamiPath destination, boolean overwrite)
            throws IOException {
        try {
            if (overwrite) {
                renameOverwriting(client, source, destination);
            } else {
                client.rename(source, destination, false);
            }
        } catch (TatamiException e) {
            throw translate(client, source, destination, e);
        }
    }

    /** HDFS lets no link be renamed over what it leads to; so what is in the way is looked at, if anything is. */
    private static void renameOverwriting(TatamiClient client, TatamiPath source, TatamiPath destination)
            throws TatamiException {
        try {
            client.rename(source, destination, false);
        } catch (TatamiException e) {
            boolean inTheWay = e.code() == ErrorCode.ALREADY_EXISTS || e.code() == ErrorCode.IS_A_DIRECTORY;
            if (!inTheWay || isLinkTo(client, source, destination)) {
                throw e;
            }
            client.rename(source, destination, true);
        }
    }

    private static IOException translate(
            TatamiClient client, TatamiPath source, TatamiPath destination, TatamiException failure)
            throws TatamiException {
        String message = failure.getMessage();
        return switch (failure.code()) {
            case INVALID_ARGUMENT, NOT_EMPTY -> new IOException(message, failure);
            case ALREADY_EXISTS, IS_A_DIRECTORY ->
                source.equals(destination) || isAlike(client, source, destination)
                        ? withCause(new FileAlreadyExistsException(message), failure)
                        : new IOException(message, failure);
            case NOT_A_DIRECTORY -> {
                if (isBelowFile(client, source)) {
                    yield ExceptionTranslator.translate(failure);
                }
                yield isBelowFile(client, destination)
                        ? withCause(new ParentNotDirectoryException(message), failure)
                        : new IOException(message, failure);
            }
            default -> ExceptionTranslator.translate(failure);
        };
    }

    /** Whether both are directories or both are not; a link and what it leads to count as alike. */
    private static boolean isAlike(TatamiClient client, TatamiPath source, TatamiPath destination)
            throws TatamiException {
        return client.status(source, false).isDirectory()
                        == client.status(destination, false).isDirectory()
                || isLinkTo(client, source, destination);
    }

    private static boolean isLinkTo(TatamiClient client, TatamiPath source, TatamiPath destination)
            throws TatamiException {
        return client.status(source, false).symlinkTarget().equals(destination.toString());
    }

    /** Whether a name on the way to {@code path} is a file's. */
    static boolean isBelowFile(TatamiClient client, TatamiPath path) throws TatamiException {
        try {
            client.status(path, false);
            return false;
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_A_DIRECTORY) {
                return true;
            }
            if (e.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    private static IOException withCause(IOException exception, TatamiException cause) {
        exception.initCause(cause);
        return exception;
    }
}
