package io.tatami.benchmarks.workload.scan;

import picocli.CommandLine.Option;

/** What is scanned, how, and how often. */
public final class ScanOptions {
    @Option(names = "--scan-size", paramLabel = "MIB", description = "MiB of the scan (default: ${DEFAULT-VALUE}).")
    int mebibytes = 2048;

    @Option(names = "--scan-runs", description = "How often each file system is scanned (default: ${DEFAULT-VALUE}).")
    int runs = 10;

    @Option(names = "--scan-warm-ups", description = "Scans of each before, unmeasured (default: ${DEFAULT-VALUE}).")
    int warmUps = 2;

    @Option(
            names = "--scan-buffer",
            paramLabel = "KIB",
            description = "KiB of each call of read (default: ${DEFAULT-VALUE}).")
    int bufferKibibytes = 1024;
}
