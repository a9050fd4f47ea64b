package io.tatami.block.cache;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The copy of one unit in one slot of the tier. Guarded by the tier's lock, but for {@link #settled}. */
final class StagedUnit {
    /** Released once when the copy is ready, or will never be. */
    final CountDownLatch settled = new CountDownLatch(1);

    final UnitKey key;
    final int slot;

    /** The plan it was staged for; null once that is gone, or the unit was read. */
    @Nullable
    StagedPlan waitingFor;

    /** Of the plan. */
    int position;

    State state = State.STAGING;
    int lengthBytes;
    int uses;

    /** Reads that may yet come: one for each plan that a read was counted for, but for those that came. */
    private int owedReads;

    private boolean releases;

    enum State {
        STAGING,
        READY,
        /** Given up; the slot is free again once nobody uses it. */
        GONE
    }

    StagedUnit(UnitKey key, int slot, StagedPlan plan, int position) {
        this.key = key;
        this.slot = slot;
        this.waitingFor = plan;
        this.position = position;
    }

    /** A read was counted for a plan that is carried out with or without {@code releaseAfterRead}. */
    void owe(boolean releaseAfterRead) {
        releases = releaseAfterRead && (releases || owedReads == 0);
        owedReads++;
    }

    void hadRead() {
        owedReads = Math.max(0, owedReads - 1);
    }

    /** Whether every plan has had its read, and none of them keeps the copy. */
    boolean isToBeReleased() {
        return releases && owedReads == 0;
    }
}
