package io.tatami.benchmarks.workload.chaos;

import java.util.Locale;

/** What is done to a node. */
enum Harm {
    KILL(8),
    /** Its process hangs, and keeps its connections. */
    PAUSE(8),
    /** Killed for longer than a server is silent until its blocks are copied. */
    LONG_KILL(1),
    CUT(4),
    CUT_IN(3),
    CUT_OUT(3),
    /** The link between two nodes is. */
    CUT_PAIR(3),
    SLOW_LINK(3),
    SLOW_DISK(3),
    FULL_DISK(2),
    /** Its block server is killed, and starts on an empty volume. */
    WIPED_DISK(3),
    /** The device ends under the running block server, which gets a new one later. */
    FAILED_DISK(3),
    /** The metadata server of the first node is killed. */
    METADATA_KILL(3),
    /** A process of clients is killed, and another goes on in its place. */
    CLIENT_KILL(4);

    /** How often it comes, in relation to others. */
    final int weight;

    Harm(int weight) {
        this.weight = weight;
    }

    /** Whether bytes are lost by it. */
    boolean isDestroying() {
        return this == WIPED_DISK || this == FAILED_DISK;
    }

    /** Whether block servers go on as they were. */
    boolean isBesideBlockServers() {
        return this == METADATA_KILL || this == CLIENT_KILL;
    }

    boolean isOfLinks() {
        return this == CUT || this == CUT_IN || this == CUT_OUT || this == CUT_PAIR;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
