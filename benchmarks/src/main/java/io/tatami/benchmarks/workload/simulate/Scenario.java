package io.tatami.benchmarks.workload.simulate;

import java.util.Locale;

/** What happens to the cluster. */
enum Scenario {
    /** A server dies. */
    NODE("a server dies"),
    /** All servers of a rack die, and an administrator releases the brake at once. */
    RACK("a rack dies, its brake is released at once"),
    /** Empty servers join, and copies are moved to them. */
    JOIN("servers join"),
    /** Some disks have a tenth of their speed, and a server dies. */
    SLOW("some disks are slow, a server dies"),
    /** A server drains that has more than others. */
    DRAIN("a large server drains");

    private final String title;

    Scenario(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** As the command line and the files have it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
