package io.tatami.benchmarks.workload.simulate;

import io.tatami.cluster.BalancePlan;
import picocli.CommandLine.Option;

/** The cluster and what happens to it, as the command line says. */
final class SimulateOptions {
    private static final int DRAINED_TO_MEAN = 5;

    /** Of each other server: 20 GB/s of 1,000. */
    private static final long DRAIN_RATE_EACH = 20_000_000;

    @Option(names = "--nodes", description = "Block servers (default: ${DEFAULT-VALUE}).")
    private int nodes = 100;

    @Option(names = "--blocks", description = "In all (default: ${DEFAULT-VALUE}).")
    private long blocks = 1_000_000;

    @Option(names = "--racks", description = "Of equally many servers (default: ${DEFAULT-VALUE}).")
    private int racks = 20;

    @Option(names = "--copies", description = "Of each block (default: ${DEFAULT-VALUE}).")
    private int copies = 3;

    @Option(names = "--shards", description = "Metadata shards (default: ${DEFAULT-VALUE}).")
    private int shards = 16;

    @Option(names = "--block-bytes", description = "Length of each block (default: ${DEFAULT-VALUE}).")
    private long blockBytes = 256L << 20;

    @Option(names = "--disks", description = "Of each server (default: ${DEFAULT-VALUE}).")
    private int disks = 12;

    @Option(
            names = "--disk-rate",
            description = "Bytes a second that a disk reads and writes together (default: ${DEFAULT-VALUE}).")
    private long diskRate = 150_000_000;

    @Option(
            names = "--link-rate",
            description = "Bytes a second of a server's link, each way (default: ${DEFAULT-VALUE}).")
    private long linkRate = 3_000_000_000L;

    @Option(
            names = "--copy-rate",
            description = "Bytes a second that a server sends and receives for copies, as tatami.block.copy.rate;"
                    + " 0 for no limit (default: ${DEFAULT-VALUE}).")
    private long copyRate = 100L << 20;

    @Option(names = "--used", description = "How full servers are, in percent (default: ${DEFAULT-VALUE}).")
    private int used = 60;

    @Option(
            names = "--in-flight",
            description = "Copies that a shard asks for at once, as tatami.copies.in-flight-max (default:"
                    + " ${DEFAULT-VALUE}).")
    private int inFlight = 256;

    @Option(
            names = "--pulls",
            description = "Copies made on a disk at once, as tatami.block.pulls.max (default: ${DEFAULT-VALUE}).")
    private int pulls = 4;

    @Option(
            names = "--lost-after",
            description = "Seconds from a server's death until all its blocks are copied, as"
                    + " tatami.copies.lost-after (default: ${DEFAULT-VALUE}).")
    private int lostAfter = 600;

    @Option(names = "--joining", description = "Servers that join; 0 for a twentieth (default: ${DEFAULT-VALUE}).")
    private int joining;

    @Option(names = "--slow", description = "Percent of disks that are slow (default: ${DEFAULT-VALUE}).")
    private int slow = 5;

    @Option(
            names = "--drain-bytes",
            description = "Of the server that drains; 0 for five times the mean, which is 400 TB with 1,000 nodes and"
                    + " 100 million blocks (default: ${DEFAULT-VALUE}).")
    private long drainBytes;

    @Option(
            names = "--drain-rate",
            description = "Bytes a second that all other servers together send and receive for a drain; 0 for 20 MB"
                    + " each, 20 GB of 1,000 (default: ${DEFAULT-VALUE}).")
    private long drainRate;

    @Option(names = "--hours", description = "Virtual time, at most (default: ${DEFAULT-VALUE}).")
    private int hours = 240;

    @Option(names = "--seed", description = "Of everything random (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    /** @throws IllegalArgumentException there is no such cluster */
    ClusterShape shape(Scenario scenario) {
        ClusterShape shape = new ClusterShape(
                nodes,
                racks,
                shards,
                blocks,
                copies,
                blockBytes,
                disks,
                diskRate,
                linkRate,
                copyRate,
                used,
                inFlight,
                pulls,
                seed);
        return scenario == Scenario.DRAIN ? shape.withCopyRate(drainRateOfAll() / Math.max(1, nodes - 1)) : shape;
    }

    long drainRateOfAll() {
        return drainRate == 0 ? DRAIN_RATE_EACH * nodes : drainRate;
    }

    Course course(ClusterShape shape) {
        return new Course(
                lostAfter,
                joining == 0 ? Math.max(1, nodes / 20) : joining,
                slow,
                drainBytes == 0 ? DRAINED_TO_MEAN * shape.meanBytes() : drainBytes,
                BalancePlan.DEFAULT_PERCENT,
                hours * 3_600L);
    }
}
