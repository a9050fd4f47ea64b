package io.tatami.benchmarks.harness.report;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a benchmark works, and where its figures go. */
public final class RunPlace {
    @Option(names = "--work", description = "Where servers keep their data (default: ${DEFAULT-VALUE}).")
    private Path work = Path.of(System.getProperty("java.io.tmpdir"), "tatami-bench");

    @Option(names = "--results", description = "Where the raw figures go (default: ${DEFAULT-VALUE}).")
    private Path results = Path.of("benchmarks", "results");

    /** May not be there yet. */
    public Path work() {
        return work;
    }

    /** May not be there yet. */
    public Path results() {
        return results;
    }
}
