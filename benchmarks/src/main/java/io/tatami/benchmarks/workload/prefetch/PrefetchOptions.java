package io.tatami.benchmarks.workload.prefetch;

import picocli.CommandLine.Option;

/** The experiment's sizes and speeds; the defaults are the paper's. MiB here are 2^20 bytes. */
final class PrefetchOptions {
    @Option(
            names = "--data",
            paramLabel = "MIB",
            defaultValue = "2048",
            description = "Size of each of the two data sets, a multiple of 4 (default: ${DEFAULT-VALUE}).")
    int dataMebibytes;

    @Option(
            names = "--tier",
            paramLabel = "MIB",
            defaultValue = "1024",
            description = "Size of the cache tier (default: ${DEFAULT-VALUE}).")
    int tierMebibytes;

    @Option(
            names = "--slow",
            paramLabel = "MB/S",
            defaultValue = "126",
            description = "Speed of the slow volume, in 10^6 bytes a second (default: ${DEFAULT-VALUE}).")
    int slowMegabytes;

    @Option(
            names = "--fast",
            paramLabel = "MB/S",
            defaultValue = "194",
            description = "Speed of the tier and the fast volume, in 10^6 bytes a second (default: ${DEFAULT-VALUE}).")
    int fastMegabytes;

    @Option(
            names = "--compute",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "Computing after each data set: enough to hide staging (default: ${DEFAULT-VALUE}).")
    int computeSeconds;

    @Option(
            names = "--little-compute",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "The same, too little to hide it (default: ${DEFAULT-VALUE}).")
    int littleComputeSeconds;
}
