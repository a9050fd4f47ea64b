package io.tatami.client.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.Deadline;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the servers of a block are asked again after all have failed. A server that cannot be reached may be
 * starting: it is waited for as long as an operation may take, other failures are met a few times. Bytes that come end
 * the row of failures, however long the block is read. Used by one thread.
 */
final class CopyRetries {
    static final int ROUNDS_MAX = 4;

    private final Supplier<Deadline> deadlines;
    private final Supplier<Backoff> backoffs;
    private @Nullable Row row;

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

    /**
     * After all servers have failed: waits, unless the failure is final.
     *
     * @param failure of the last server
     * @return whether they are to be asked again
     * @throws TatamiException CANCELLED on an interrupt
     */
    boolean pause(TatamiException failure) throws TatamiException {
        Row present = row;
        if (present == null) {
            present = new Row(deadlines.get(), backoffs.get());
            row = present;
        }
        present.rounds++;
        boolean maybeStarting = failure.code() == ErrorCode.UNAVAILABLE;
        if (present.deadline.isOver() || (present.rounds >= ROUNDS_MAX && !maybeStarting)) {
            return false;
        }
        present.backoff.pause(present.deadline);
        return true;
    }

    /** A server gave what was asked for. */
    void succeeded() {
        row = null;
    }
}
