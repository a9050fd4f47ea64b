package io.tatami.meta.service.sim;

import io.tatami.meta.service.host.SteppedWork;

/** How bad a seed is; each in its own way, so that some faults are met alone. */
final class RandomFaults implements Faults {
    /** How late the second one of a doubled message comes at most, which may be after all was answered long ago. */
    private static final int LATE_MILLIS_MAX = 15_000;

    private final SimWorld world;
    private final Coverage coverage;
    private final double loss;
    private final double doubling;
    private final double slow;
    private final Crashes crashes;
    private final double failingLog;
    private boolean on;

    RandomFaults(SimWorld world, Coverage coverage) {
        this.world = world;
        this.coverage = coverage;
        this.loss = rate(0.15);
        this.doubling = rate(0.2);
        this.slow = rate(0.1);
        this.crashes = new Crashes(world);
        this.failingLog = rate(0.04);
    }

    private double rate(double max) {
        return world.chance(0.3) ? 0 : max * world.below(100) / 100;
    }

    @Override
    public void begin() {
        on = true;
    }

    @Override
    public void heal() {
        on = false;
    }

    @Override
    public Delivery delivery() {
        if (on && world.chance(loss)) {
            return lost();
        }
        long millis = delayMillis();
        if (on && world.chance(doubling)) {
            coverage.count("messages doubled");
            long laterMillis = world.chance(0.3) ? world.below(LATE_MILLIS_MAX) : world.below(100);
            return Delivery.twice(millis, delayMillis() + laterMillis);
        }
        return Delivery.in(millis);
    }

    /** The sender may see that the connection broke, or nothing until its time is over. */
    @Override
    public Delivery lost() {
        coverage.count("messages lost");
        return Delivery.lost(world.chance(0.6) ? 1 + world.below(30) : -1);
    }

    private long delayMillis() {
        if (on && world.chance(slow)) {
            coverage.count("messages delayed");
            return 50L + world.below(2_000);
        }
        return 1L + world.below(4);
    }

    @Override
    public boolean crashesAt(String step) {
        return on && crashes.isAt(step);
    }

    @Override
    public boolean breaksConnection() {
        return world.chance(0.8);
    }

    @Override
    public SteppedWork.Write write() {
        if (!on || !world.chance(failingLog)) {
            return SteppedWork.Write.DURABLE;
        }
        boolean written = world.chance(0.6);
        coverage.count(written ? "logs failed after a write" : "logs failed before a write");
        return written ? SteppedWork.Write.WRITTEN_AND_FAILED : SteppedWork.Write.LOST_AND_FAILED;
    }

    @Override
    public boolean silencesBlockServer() {
        return on && world.chance(loss);
    }
}
