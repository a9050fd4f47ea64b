package io.tatami.hadoop;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.TatamiPath;
import java.io.IOException;

/**
 * The rename of {@link org.apache.hadoop.fs.FileSystem#rename(org.apache.hadoop.fs.Path, org.apache.hadoop.fs.Path)} as
 * HDFS does it: into the destination where that is a directory, and false rather than an exception where there is no
 * source, no place for it, or something there already.
 */
final class ClassicRename {
    private ClassicRename() {}

    static boolean rename(TatamiCalls calls, org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to)
            throws IOException {
        TatamiPath source = TatamiCalls.path(from);
        TatamiPath destination = TatamiCalls.path(to);
        return TatamiCalls.translated(() -> rename(calls.client(), source, destination));
    }

    private static boolean rename(TatamiClient client, TatamiPath source, TatamiPath destination) throws IOException {
        if (source.isRoot()) {
            return false;
        }
        if (destination.isRoot()) {
            return renameTo(client, source, destination.child(source.name()));
        }
        try {
            client.rename(source, destination, false);
            return !source.equals(destination) || isFile(client, source);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.ALREADY_EXISTS && isDirectory(client, destination)) {
                return renameTo(client, source, destination.child(source.name()));
            }
            return isRefusal(e, false);
        }
    }

    private static boolean renameTo(TatamiClient client, TatamiPath source, TatamiPath destination) throws IOException {
        if (source.equals(destination)) {
            return true;
        }
        try {
            client.rename(source, destination, false);
            return true;
        } catch (TatamiException e) {
            return isRefusal(e, false);
        }
    }

    /** Failures that HDFS tells by returning false are told by {@code answer}; the others are thrown. */
    private static boolean isRefusal(TatamiException failure, boolean answer) throws TatamiException {
        return switch (failure.code()) {
            case NOT_FOUND, ALREADY_EXISTS, IS_A_DIRECTORY, INVALID_ARGUMENT, NOT_EMPTY -> answer;
            default -> throw failure;
        };
    }

    private static boolean isDirectory(TatamiClient client, TatamiPath path) throws IOException {
        return client.status(path, true).isDirectory();
    }

    private static boolean isFile(TatamiClient client, TatamiPath path) throws IOException {
        return client.status(path, false).isFile();
    }
}
