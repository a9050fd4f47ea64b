package io.tatami.client.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.Deadline;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the servers of a block are asked again after all have failed. A server that cannot be reached may be
 * starting: it is waited for as long as an operation may take, whatever the others say. Other failures are met a few
 * times. Bytes that come end the row of failures, however long the block is read. Used by one thread.
 */
final class CopyRetries {
    static final int ROUNDS_MAX = 4;

    private final Supplier<Deadline> deadlines;
    private final Supplier<Backoff> backoffs;
    private @Nullable Row row;

    /** Of a server that was not reached since the last pause. */
    private @Nullable TatamiException unreachable;

    /**
     * @param deadlines gives the end of an operation that begins now
     * @param backoffs gives the pauses of an operation
     */
    CopyRetries(Supplier<Deadline> deadlines, Supplier<Backoff> backoffs) {
        this.deadlines = deadlines;
        this.backoffs = backoffs;
    }

    /** Failures with no byte between them. */
    private static final class Row {
        final Deadline deadline;
        final Backoff backoff;

        /** Those in which every server was reached. */
        int rounds;

        Row(Deadline deadline, Backoff backoff) {
            this.deadline = deadline;
            this.backoff = backoff;
        }
    }

    /** The end of the present row of failures; where there is none, of one that would begin now. */
    Deadline deadline() {
        return row == null ? deadlines.get() : row.deadline;
    }

    /** A server failed; it may be asked again after the next {@link #pause}. */
    void failed(TatamiException failure) {
        if (failure.code() == ErrorCode.UNAVAILABLE) {
            unreachable = failure;
        }
    }

    /**
     * After all servers have failed: waits, unless the failure is final.
     *
     * @param last of the failures; those before it were told to {@link #failed}
     * @return why they are to be asked again: that one was not reached, rather than another failure; null if they are
     *     not
     * @throws TatamiException CANCELLED on an interrupt
     */
    @Nullable
    TatamiException pause(TatamiException last) throws TatamiException {
        failed(last);
        TatamiException failure = unreachable == null ? last : unreachable;
        unreachable = null;
        Row present = row;
        if (present == null) {
            present = new Row(deadlines.get(), backoffs.get());
            row = present;
        }
        present.rounds += failure.code() == ErrorCode.UNAVAILABLE ? 0 : 1;
        if (present.deadline.isOver() || present.rounds >= ROUNDS_MAX) {
            return null;
        }
        present.backoff.pause(present.deadline);
        return failure;
    }

    /** A server gave what was asked for. */
    void succeeded() {
        row = null;
        unreachable = null;
    }
}
