package io.tatami.benchmarks.workload.heal;

import picocli.CommandLine.Option;

/** What is there when a server dies. */
final class HealOptions {
    @Option(names = "--nodes", description = "Block servers, of which one dies (default: ${DEFAULT-VALUE}).")
    int nodes = 6;

    @Option(
            names = "--disk-rate",
            description = "What each volume reads, and writes, in MB/s (default: ${DEFAULT-VALUE}).")
    int diskMegabytes = 50;

    @Option(
            names = "--size",
            paramLabel = "MIB",
            description = "MiB of files, three times that of copies (default: ${DEFAULT-VALUE}).")
    int mebibytes = 3072;

    @Option(names = "--block", paramLabel = "MIB", description = "MiB of each block (default: ${DEFAULT-VALUE}).")
    int blockMebibytes = 16;

    @Option(
            names = "--readers",
            description = "Who read in the rounds that have readers, together half of what the disks can"
                    + " (default: ${DEFAULT-VALUE}).")
    int readers = 8;
}
