package io.tatami.benchmarks.workload.fence;

import java.util.List;
import picocli.CommandLine.Option;

/** How the service is divided, and how long each part goes on. */
final class FenceOptions {
    @Option(names = "--shards", split = ",", description = "Numbers of shards (default: 1,4,16).")
    List<Integer> shards = List.of(1, 4, 16);

    @Option(
            names = "--servers",
            description = "Processes among which the shards are divided, at most; the namespace group has one more"
                    + " (default: ${DEFAULT-VALUE}).")
    int serversMax = 4;

    @Option(
            names = "--clients",
            description = "Who create files meanwhile, each in another directory, evenly over the servers; at least one"
                    + " a server (default: ${DEFAULT-VALUE}).")
    int clients = 8;

    @Option(names = "--seconds", description = "How long each part goes on (default: ${DEFAULT-VALUE}).")
    int seconds = 15;

    @Option(
            names = "--warm-up-seconds",
            description = "How long directories are renamed and files created before, unmeasured"
                    + " (default: ${DEFAULT-VALUE}).")
    int warmUpSeconds = 45;

    @Option(
            names = "--pauses",
            description = "How often a server is paused for each length, each in its turn (default: ${DEFAULT-VALUE}).")
    int pauses = 12;

    @Option(
            names = "--pause-millis",
            split = ",",
            description =
                    "For how long; after 5 s a change that not all shards know is withdrawn, and the client tries it"
                            + " again (default: 2000,8000).")
    List<Integer> pauseMillis = List.of(2_000, 8_000);
}
