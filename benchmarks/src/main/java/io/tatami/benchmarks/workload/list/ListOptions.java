package io.tatami.benchmarks.workload.list;

import picocli.CommandLine.Option;

/** How large the directory is, and who fills it. */
final class ListOptions {
    @Option(names = "--files", description = "In the directory, at least 10 (default: ${DEFAULT-VALUE}).")
    long files = 5_000_000;

    @Option(names = "--clients", description = "That create the files; one lists them (default: ${DEFAULT-VALUE}).")
    int clients = 16;

    @Option(
            names = "--servers",
            description =
                    "Metadata servers over which the directory is divided, each with one shard, beside one for the"
                            + " namespace group; a power of two. With 1, that one has everything, as a standalone does"
                            + " (default: ${DEFAULT-VALUE}).")
    int servers = 1;
}
