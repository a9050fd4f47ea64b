package io.tatami.meta.op.copies;

import io.tatami.cluster.BlockHealth;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.CheckedBlock.Health;

/** Adds up the health of blocks. Used by one thread. */
public final class HealthCounts {
    private final BlockHealthCounts.Builder counts = BlockHealthCounts.newBuilder();

    /** A block that is being written has no health yet. */
    public void addOpen() {
        counts.setOpen(counts.getOpen() + 1);
    }

    public void add(BlockHealth health) {
        switch (health.state()) {
            case HEALTHY -> counts.setHealthy(counts.getHealthy() + 1);
            case UNDER_REPLICATED -> counts.setUnderReplicated(counts.getUnderReplicated() + 1);
            case OVER_REPLICATED -> counts.setOverReplicated(counts.getOverReplicated() + 1);
            case MISREPLICATED -> counts.setMisreplicated(counts.getMisreplicated() + 1);
            case DAMAGED -> counts.setDamaged(counts.getDamaged() + 1);
            case MISSING -> counts.setMissing(counts.getMissing() + 1);
            case UNKNOWN -> counts.setUnknown(counts.getUnknown() + 1);
        }
        if (health.state() == BlockHealth.State.UNDER_REPLICATED) {
            counts.setCopiesLacking(counts.getCopiesLacking() + health.lacking());
        }
        counts.setLastCopy(counts.getLastCopy() + (health.lastCopy() ? 1 : 0))
                .setBeyondHosts(counts.getBeyondHosts() + (health.beyondHosts() > 0 ? 1 : 0))
                .setCopiesBeyondHosts(counts.getCopiesBeyondHosts() + health.beyondHosts())
                .setWithDamagedCopy(counts.getWithDamagedCopy() + (health.damaged() > 0 ? 1 : 0))
                .setGoodCopies(counts.getGoodCopies() + health.good())
                .setIntendedCopies(counts.getIntendedCopies() + health.intended())
                .setSpareCopies(counts.getSpareCopies() + health.spares());
    }

    public BlockHealthCounts build() {
        return counts.build();
    }

    /** A health as messages have it. */
    public static Health wire(BlockHealth.State state) {
        return switch (state) {
            case HEALTHY -> Health.HEALTHY;
            case UNDER_REPLICATED -> Health.UNDER_REPLICATED;
            case OVER_REPLICATED -> Health.OVER_REPLICATED;
            case MISREPLICATED -> Health.MISREPLICATED;
            case DAMAGED -> Health.DAMAGED;
            case MISSING -> Health.MISSING;
            case UNKNOWN -> Health.UNKNOWN;
        };
    }
}
