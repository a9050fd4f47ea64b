package io.tatami.block.service.copy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The copies onto one volume that wait for a flush. One batch is under way at a time; it is all that waits when it is
 * closed, up to a count: their bytes are on the device already. No batch waits for more copies. Urgent copies have
 * limits of their own, so that no others hold them up. Its user guards it.
 */
final class FinishQueue {
    /** No further copy is begun where so much waits. */
    static final long BYTES_MAX = 64L << 20;

    private final int copiesMax;
    private final Line urgent = new Line();
    private final Line others = new Line();
    private boolean underWay;
    private int inBatch;

    /** Copies that wait. */
    private static final class Line {
        private final Deque<FilledCopy> copies = new ArrayDeque<>();
        private long bytes;

        void add(FilledCopy copy) {
            copies.add(copy);
            bytes += copy.pull().lengthBytes();
        }

        FilledCopy remove() {
            FilledCopy copy = copies.remove();
            bytes -= copy.pull().lengthBytes();
            return copy;
        }
    }

    /** @param copiesMax in a batch */
    FinishQueue(int copiesMax) {
        this.copiesMax = copiesMax;
    }

    void add(FilledCopy copy) {
        (copy.pull().urgent() ? urgent : others).add(copy);
    }

    /** Whether as much waits of the urgent copies, or of the others, as may. */
    boolean isFull(boolean ofUrgent) {
        Line line = ofUrgent ? urgent : others;
        return line.copies.size() >= copiesMax || line.bytes >= BYTES_MAX;
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
        while (waiting() > 0 && batch.size() < copiesMax) {
            batch.add((urgent.copies.isEmpty() ? others : urgent).remove());
        }
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
        return urgent.copies.size() + others.copies.size();
    }
}
