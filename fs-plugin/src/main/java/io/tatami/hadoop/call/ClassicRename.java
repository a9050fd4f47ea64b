package io.tatami.hadoop.call;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.hadoop.convert.ExceptionTranslator;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The rename of {@link org.apache.hadoop.fs.FileSystem#rename(org.apache.hadoop.fs.Path, org.apache.hadoop.fs.Path)} as
 * HDFS does it: into the destination where that is a directory, and false rather than an exception where there is no
 * source, no place for it, or something there already. A file renamed to itself is renamed; a directory is not.
 */
final class ClassicRename {
    private ClassicRename() {}

    static boolean rename(TatamiClient client, TatamiPath source, TatamiPath destination) throws IOException {
        if (source.isRoot()) {
            return false;
        }
        TatamiException failure = tryRename(client, source, destination);
        if (failure == null) {
            return true;
        }
        if (!RefusalOrder.concerns(failure)) {
            throw new RefusalOrder(client).otherFailure(source, failure);
        }
        if (!isDirectory(client, source, destination)) {
            boolean isThere =
                    new RefusalOrder(client).requireRename(source, destination).source() != null;
            return refused(failure, source.equals(destination) && isThere);
        }
        TatamiPath within = child(destination, source.name());
        failure = tryRename(client, source, within);
        if (failure == null) {
            return true;
        }
        boolean isThere = new RefusalOrder(client).requireRenameInto(source, destination);
        return refused(failure, source.equals(within) && isThere);
    }

    /** The name is one that there is already. */
    private static TatamiPath child(TatamiPath directory, String name) throws IOException {
        try {
            return directory.child(name);
        } catch (TatamiException e) {
            throw ExceptionTranslator.translate(e);
        }
    }

    /** Why it was not done; null where it was. */
    private static @Nullable TatamiException tryRename(TatamiClient client, TatamiPath source, TatamiPath destination) {
        if (source.equals(destination)) {
            return new TatamiException(ErrorCode.ALREADY_EXISTS, "the source and the destination are the same");
        }
        try {
            client.rename(source, destination, false);
            return null;
        } catch (TatamiException e) {
            return e;
        }
    }

    /** What cannot be looked at is no directory to go into; who may not look is told so afterwards. */
    private static boolean isDirectory(TatamiClient client, TatamiPath source, TatamiPath destination)
            throws IOException {
        try {
            return client.status(destination, false).isDirectory();
        } catch (TatamiException e) {
            if (RefusalOrder.concerns(e)) {
                return false;
            }
            throw new RefusalOrder(client).otherFailure(source, e);
        }
    }

    /**
     * The answer to who may rename, where nothing was renamed because there is nothing to do, no source or no place.
     */
    private static boolean refused(TatamiException failure, boolean isRenamed) throws IOException {
        if (!RefusalOrder.concerns(failure) || failure.code() == ErrorCode.PERMISSION_DENIED) {
            throw ExceptionTranslator.translate(failure);
        }
        return isRenamed;
    }
}
