package io.tatami.benchmarks.workload.stream;

import java.util.List;
import picocli.CommandLine.Option;

/** What the streams are. */
final class StreamOptions {
    @Option(
            names = "--streams",
            split = ",",
            paramLabel = "COUNT",
            description = "Numbers of streams at once (default: 1,4,16).")
    List<Integer> streamCounts = List.of(1, 4, 16);

    @Option(names = "--size", paramLabel = "MIB", description = "MiB of each file (default: ${DEFAULT-VALUE}).")
    int mebibytes = 512;

    @Option(
            names = "--files",
            description = "Files in all, whatever the number of streams, which share them (default: ${DEFAULT-VALUE}).")
    int files = 16;

    @Option(
            names = "--warm-up",
            paramLabel = "MIB",
            description = "MiB of each file written and read before, unmeasured (default: ${DEFAULT-VALUE}).")
    int warmUpMebibytes = 512;

    int totalMebibytes() {
        return files * mebibytes;
    }

    /** The most that a peer has of one turn, and of the one before it, which is being deleted. */
    long mebibytesAtOnce() {
        return (long) files * Math.max(mebibytes, warmUpMebibytes);
    }

    int streamsMax() {
        return streamCounts.stream().mapToInt(Integer::intValue).max().orElse(1);
    }
}
