package io.tatami.benchmarks.workload.join;

import java.util.List;
import picocli.CommandLine.Option;

/** What is there before a server joins, and how fast groups may move. */
final class JoinOptions {
    @Option(names = "--shards", description = "A power of two (default: ${DEFAULT-VALUE}).")
    int shards = 4;

    @Option(
            names = "--clients",
            description = "Who create files, each in a directory of its own; with --blocks half of them write and half"
                    + " read (default: ${DEFAULT-VALUE}).")
    int clients = 8;

    @Option(
            names = "--fill",
            paramLabel = "MIB",
            description = "Of small files' content that the groups hold together before anything is measured; with"
                    + " --blocks of files of the block size (default: ${DEFAULT-VALUE}).")
    int fillMebibytes = 512;

    @Option(
            names = "--warm-up-seconds",
            description = "How long clients work before anything is measured (default: ${DEFAULT-VALUE}).")
    int warmUpSeconds = 60;

    @Option(
            names = "--seconds",
            description =
                    "How long is measured before the server is added, and with --blocks afterwards (default: ${DEFAULT-VALUE}).")
    int seconds = 15;

    @Option(
            names = "--rates",
            split = ",",
            description =
                    "With --metadata: of the settings tatami.metadata.move.rate that are compared (default: 1t,64m,8m).")
    List<String> rates = List.of("1t", "64m", "8m");

    @Option(
            names = "--flush",
            split = ",",
            description =
                    "With --metadata: of the settings tatami.meta.raft.snapshot.flush that are compared, at each rate (default:"
                            + " once,each).")
    List<String> flushes = List.of("once", "each");
}
