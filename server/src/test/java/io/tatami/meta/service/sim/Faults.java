package io.tatami.meta.service.sim;

/** How bad a seed is; each in its own way, so that some faults are met alone. */
final class Faults {
    private final double loss;
    private final double doubling;
    private final double slow;
    private boolean on;

    Faults(SimWorld world) {
        this.loss = rate(world, 0.15);
        this.doubling = rate(world, 0.2);
        this.slow = rate(world, 0.1);
    }

    private static double rate(SimWorld world, double max) {
        return world.chance(0.3) ? 0 : max * world.below(100) / 100;
    }

    /** Of how many messages one is lost. */
    double loss() {
        return loss;
    }

    double doubling() {
        return doubling;
    }

    double slow() {
        return slow;
    }

    /** Nothing goes wrong before this. */
    void begin() {
        on = true;
    }

    /** Nothing goes wrong after this. */
    void heal() {
        on = false;
    }

    boolean areOn() {
        return on;
    }
}
