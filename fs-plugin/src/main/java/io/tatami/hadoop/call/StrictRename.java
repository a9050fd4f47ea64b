package io.tatami.hadoop.call;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.hadoop.convert.ExceptionTranslator;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;

/**
 * The rename that FileContext uses: exactly to the destination, in one step, with an exception for every refusal. Where
 * HDFS's exceptions tell more apart than the cluster's codes, the two paths are looked at again, after the failure.
 */
final class StrictRename {
    private StrictRename() {}

    static void rename(TatamiClient client, TatamiPath source, TatamiPath destination, boolean overwrite)
            throws IOException {
        try {
            client.rename(source, destination, overwrite);
        } catch (TatamiException e) {
            if (!RefusalOrder.concerns(e)) {
                throw new RefusalOrder(client).otherFailure(source, e);
            }
            throw refusal(new RefusalOrder(client).requireRename(source, destination), source, destination, e);
        }
    }

    /** What HDFS throws to who may rename, in the order in which it looks. */
    private static IOException refusal(
            RefusalOrder.Ends ends, TatamiPath source, TatamiPath destination, TatamiException failure) {
        PathStatus from = ends.source();
        PathStatus to = ends.destination();
        String message = failure.getMessage();
        IOException refusal;
        if (from == null) {
            refusal = new FileNotFoundException("rename source " + source + " is not found.");
        } else if (source.equals(destination) || isLinkTo(from, destination)) {
            refusal = new FileAlreadyExistsException(message);
        } else if (destination.startsWith(source) || source.isRoot() || destination.isRoot()) {
            refusal = new IOException(message);
        } else if (to == null) {
            return ExceptionTranslator.translate(failure);
        } else if (from.isDirectory() != to.isDirectory() || failure.code() == ErrorCode.NOT_EMPTY) {
            refusal = new IOException(message);
        } else if (failure.code() == ErrorCode.PERMISSION_DENIED) {
            return ExceptionTranslator.translate(failure);
        } else {
            refusal = new FileAlreadyExistsException(message);
        }
        return ExceptionTranslator.answered(refusal, failure);
    }

    private static boolean isLinkTo(PathStatus source, TatamiPath destination) {
        return source.symlinkTarget().equals(destination.toString());
    }
}
