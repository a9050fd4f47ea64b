package io.tatami.benchmarks.workload.failover;

import picocli.CommandLine.Option;

/** Who works while servers die, and for how long they are watched. */
final class FailoverOptions {
    @Option(
            names = "--clients",
            description = "Who create and close files all the time, each in a directory of its own"
                    + " (default: ${DEFAULT-VALUE}).")
    int clients = 64;

    @Option(names = "--shards", description = "Shards of the cluster, a power of two (default: ${DEFAULT-VALUE}).")
    int shards = 4;

    @Option(
            names = "--warm-up-seconds",
            description = "How long clients work before the first server dies (default: ${DEFAULT-VALUE}).")
    int warmUpSeconds = 30;

    @Option(
            names = "--watch-seconds",
            description = "How long clients are watched after a death, once all of them are served again, and again"
                    + " after the return (default: ${DEFAULT-VALUE}).")
    int watchSeconds = 5;
}
