package io.tatami.meta.service.lead;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import java.util.Map;

/**
 * How much may go into a group's log. A record goes into one message of Raft, which takes 4 MiB, and stops its leader
 * where it has more; a batch goes into as many as it needs, and is applied at once.
 */
final class ChangeLimits {
    /** Of one record, key and value. */
    static final int RECORD_BYTES_MAX = 2 << 20;

    /** Of what one request changes. */
    static final int REQUEST_BYTES_MAX = 32 << 20;

    /** A batch that changes as much takes no further request. */
    static final int BATCH_BYTES_ENOUGH = 4 << 20;

    private ChangeLimits() {}

    /**
     * What a request changes, in bytes.
     *
     * @throws TatamiException INVALID_ARGUMENT where that is more than the log takes
     */
    static long require(Draft request) throws TatamiException {
        long sum = 0;
        for (Map.Entry<byte[], Draft.Change> change : request.changes().entrySet()) {
            long bytes = Changes.bytesOf(change.getKey(), change.getValue());
            if (bytes > RECORD_BYTES_MAX) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "the request would make a record of " + bytes + " bytes; the limit is " + RECORD_BYTES_MAX);
            }
            sum += bytes;
        }
        if (sum > REQUEST_BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the request would change " + sum + " bytes of records; the limit is " + REQUEST_BYTES_MAX
                            + ", so split the request");
        }
        return sum;
    }
}
