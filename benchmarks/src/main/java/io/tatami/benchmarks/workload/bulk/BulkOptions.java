package io.tatami.benchmarks.workload.bulk;

import java.util.List;
import picocli.CommandLine.Option;

/** How many create how much. */
final class BulkOptions {
    @Option(names = "--clients", split = ",", description = "Numbers of clients, up to 32 in a JVM (default: 16,128).")
    List<Integer> clientCounts = List.of(16, 128);

    @Option(
            names = "--seconds",
            description = "How long files are created in each mode, in five turns (default: ${DEFAULT-VALUE}).")
    int seconds = 25;

    @Option(
            names = "--warm-up-seconds",
            description = "How long files are created and closed before, elsewhere and unmeasured; the modes take turns"
                    + " (default: ${DEFAULT-VALUE}).")
    int warmUpSeconds = 90;

    @Option(
            names = "--refills",
            description = "How often shards must at least have taken credits from the block server while files were"
                    + " created with grants; else the benchmark fails (default: ${DEFAULT-VALUE}).")
    int refillsMin = 100;

    @Option(
            names = "--capacity",
            paramLabel = "SIZE",
            description =
                    "Of the volume; of a small one shards are given fewer credits at once (default: ${DEFAULT-VALUE}).")
    String capacity = "40g";
}
