package io.tatami.benchmarks.workload.affinity;

import java.util.List;
import picocli.CommandLine.Option;

/** What is measured, and on what. */
final class AffinityOptions {
    static final String READ = "read";
    static final String WRITE = "write";

    private static final long MEBIBYTE = 1 << 20;

    /** Beside files: superblocks, journals, what is promised to writers, and what jobs leave. */
    private static final long SPARE_BYTES = 768 * MEBIBYTE;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "PEER",
            description = "Of tatami and hdfs, which are never up together (default: tatami,hdfs).")
    List<String> peers = List.of("tatami", AffinityCell.HDFS);

    @Option(names = "--kinds", split = ",", paramLabel = "KIND", description = "Of jobs (default: read,write).")
    List<String> kinds = List.of(READ, WRITE);

    @Option(
            names = "--nodes",
            split = ",",
            paramLabel = "COUNT",
            description = "Numbers of nodes, each with one task (default: 1,2,4,8,16).")
    List<Integer> nodes = List.of(1, 2, 4, 8, 16);

    @Option(
            names = "--links",
            split = ",",
            paramLabel = "RATIO",
            description = "What a node's link carries, to what its disk does (default: 2,1,0.5).")
    List<Double> links = List.of(2.0, 1.0, 0.5);

    @Option(
            names = "--uplinks",
            split = ",",
            paramLabel = "TIMES",
            description = "How many times as much the links of a rack's nodes carry together as the rack's uplink; 0"
                    + " for uplinks that carry all (default: 0,4).")
    List<Integer> uplinks = List.of(0, 4);

    @Option(
            names = "--copies",
            split = ",",
            paramLabel = "COUNT",
            description = "Of each file; left out where there are fewer nodes (default: 1,3).")
    List<Integer> copies = List.of(1, 3);

    @Option(
            names = "--disk-rate",
            paramLabel = "MB",
            description = "MB that each disk reads and writes in a second; low, so that the cores are not the limit"
                    + " (default: ${DEFAULT-VALUE}).")
    int diskMegabytes = 8;

    @Option(
            names = "--seconds",
            description = "What a disk alone takes for a task's bytes (default: ${DEFAULT-VALUE}).")
    int seconds = 60;

    @Option(
            names = "--cores-max",
            paramLabel = "PERCENT",
            description = "A job in which the machine's cores are busier is void (default: ${DEFAULT-VALUE}).")
    int coresPercentMax = 60;

    /** Of each task; whole MiB. */
    long fileBytes() {
        return Math.max(1, diskMegabytes * 1_000_000L * seconds / MEBIBYTE) * MEBIBYTE;
    }

    /** Of each node's disk: copies are not spread evenly, and what was deleted goes in time. */
    long capacityBytes(int copiesEach) {
        return SPARE_BYTES + fileBytes() * copiesEach * 3 / 2;
    }

    /** What the disks of the largest lab may grow to. */
    long roomBytes() {
        long most = 0;
        for (int count : nodes) {
            for (int each : copies) {
                if (each <= count) {
                    most = Math.max(most, count * capacityBytes(each));
                }
            }
        }
        return most;
    }

    /** Whether the machine's other work, or this one, had too much of its cores. */
    boolean isVoid(AffinityRun run) {
        return run.coresPercent() > coresPercentMax;
    }

    /** What a disk alone takes for so many files' bytes. */
    double diskSeconds(int files) {
        return files * fileBytes() / 1e6 / diskMegabytes;
    }

    /** In bits a second. */
    long linkBits(double link) {
        return Math.round(diskMegabytes * 8e6 * link);
    }
}
