package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.client.StreamTally;
import java.util.List;
import java.util.stream.Stream;

/** What readers and writers got side by side, in MB/s; 0 for a side that nobody is on. */
record MixRates(List<StreamTally> tallies) {
    double read() {
        return total(true);
    }

    double write() {
        return total(false);
    }

    /** Bytes of both sides. */
    double megabytes() {
        return tallies.stream().mapToLong(StreamTally::bytes).sum() / 1e6;
    }

    /** Until the last of them was done. */
    double seconds() {
        return tallies.stream().mapToLong(StreamTally::nanos).max().orElse(0) / 1e9;
    }

    /** What the slowest reader got, of what readers got on average: 1 for a fair share, 0 for none. */
    double slowestReaderShare() {
        return slowestShare(true);
    }

    double slowestWriterShare() {
        return slowestShare(false);
    }

    /** The longest that a reader was kept waiting by one call. */
    double longestReadMillis() {
        return side(true).mapToLong(StreamTally::longestCallNanos).max().orElse(0) / 1e6;
    }

    /**
     * How much of the disk is used: what readers get of what one has alone, and writers of what one has alone, added
     * up. Where the disk goes to and fro for nothing it is 1.
     */
    double useOfDisk(MixRates readerAlone, MixRates writerAlone) {
        return read() / readerAlone.read() + write() / writerAlone.write();
    }

    private double total(boolean readers) {
        return side(readers).mapToDouble(StreamTally::megabytesPerSecond).sum();
    }

    private double slowestShare(boolean readers) {
        double mean = side(readers)
                .mapToDouble(StreamTally::megabytesPerSecond)
                .average()
                .orElse(0);
        double slowest =
                side(readers).mapToDouble(StreamTally::megabytesPerSecond).min().orElse(0);
        return mean == 0 ? 0 : slowest / mean;
    }

    private Stream<StreamTally> side(boolean readers) {
        return tallies.stream().filter(tally -> tally.isReader() == readers);
    }
}
