package io.tatami.block.service.copy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The copies onto one volume that wait for a flush. One batch is under way at a time; it is all that waits when it is
 * closed, as far as one may hold that. No batch waits for more copies. Its user guards it.
 */
final class FinishQueue {
    /** What may wait, and be in a batch; but a longer copy may do so alone. */
    static final long BYTES_MAX = 64L << 20;

    private final int copiesMax;
    private final Deque<FilledCopy> urgent = new ArrayDeque<>();
    private final Deque<FilledCopy> others = new ArrayDeque<>();
    private long bytes;
    private boolean underWay;
    private int inBatch;

    /** @param copiesMax in a batch */
    FinishQueue(int copiesMax) {
        this.copiesMax = copiesMax;
    }

    void add(FilledCopy copy) {
        (copy.pull().urgent() ? urgent : others).add(copy);
        bytes += copy.pull().lengthBytes();
    }

    /** Whether as much waits as may; with urgent ones twice as much, so that others do not hold them up. */
    boolean isFull(boolean forUrgent) {
        int times = forUrgent ? 2 : 1;
        return waiting() >= (long) times * copiesMax || bytes >= times * BYTES_MAX;
    }

    /** Whether a batch is to be begun, which is under way from then on until {@link #ended}. */
    boolean begin() {
        if (underWay || waiting() == 0) {
            return false;
        }
        underWay = true;
        return true;
    }

    /** Closes the batch that was begun: what is in it, urgent copies first. */
    List<FilledCopy> close() {
        List<FilledCopy> batch = new ArrayList<>();
        long batchBytes = 0;
        while (waiting() > 0 && batch.size() < copiesMax) {
            Deque<FilledCopy> from = urgent.isEmpty() ? others : urgent;
            long length = from.element().pull().lengthBytes();
            if (!batch.isEmpty() && batchBytes + length > BYTES_MAX) {
                break;
            }
            batch.add(from.remove());
            batchBytes += length;
        }
        bytes -= batchBytes;
        inBatch = batch.size();
        return batch;
    }

    /** The batch has ended. */
    void ended() {
        underWay = false;
        inBatch = 0;
    }

    /** Copies that wait, and those of the batch that is under way. */
    int copies() {
        return waiting() + inBatch;
    }

    private int waiting() {
        return urgent.size() + others.size();
    }
}
