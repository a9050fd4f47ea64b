package io.tatami.hadoop;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.TatamiPath;
import java.io.IOException;

/**
 * The rename of {@link org.apache.hadoop.fs.FileSystem#rename(org.apache.hadoop.fs.Path, org.apache.hadoop.fs.Path)} as
 * HDFS does it: into the destination where that is a directory, and false rather than an exception where there is no
 * source, no place for it, or something there already. A file renamed to itself is renamed; a directory is not.
 */
final class ClassicRename {
    private ClassicRename() {}

    static boolean rename(TatamiClient client, TatamiPath source, TatamiPath destination) throws IOException {
        try {
            return !source.isRoot() && renameOrInto(client, source, destination);
        } catch (TatamiException e) {
            throw e.code() == ErrorCode.NOT_A_DIRECTORY && !StrictRename.isBelowFile(client, source)
                    ? ExceptionTranslator.translateMaking(e)
                    : ExceptionTranslator.translate(e);
        }
    }

    private static boolean renameOrInto(TatamiClient client, TatamiPath source, TatamiPath destination)
            throws TatamiException {
        if (destination.isRoot()) {
            return renameExactly(client, source, destination.child(source.name()));
        }
        if (source.equals(destination)) {
            return isThere(client, source) && !client.status(source, false).isDirectory();
        }
        try {
            client.rename(source, destination, false);
            return true;
        } catch (TatamiException e) {
            boolean inTheWay = e.code() == ErrorCode.ALREADY_EXISTS || e.code() == ErrorCode.IS_A_DIRECTORY;
            if (inTheWay && client.status(destination, true).isDirectory()) {
                return renameExactly(client, source, destination.child(source.name()));
            }
            throwUnlessRefusal(e);
            return false;
        }
    }

    private static boolean renameExactly(TatamiClient client, TatamiPath source, TatamiPath destination)
            throws TatamiException {
        if (source.equals(destination)) {
            return isThere(client, source);
        }
        try {
            client.rename(source, destination, false);
            return true;
        } catch (TatamiException e) {
            throwUnlessRefusal(e);
            return false;
        }
    }

    private static boolean isThere(TatamiClient client, TatamiPath path) throws TatamiException {
        try {
            client.status(path, false);
            return true;
        } catch (TatamiException e) {
            throwUnlessRefusal(e);
            return false;
        }
    }

    /** Throws what HDFS throws, and not what it tells by returning false. */
    private static void throwUnlessRefusal(TatamiException failure) throws TatamiException {
        switch (failure.code()) {
            case NOT_FOUND, ALREADY_EXISTS, IS_A_DIRECTORY, INVALID_ARGUMENT, NOT_EMPTY -> {}
            default -> throw failure;
        }
    }
}
