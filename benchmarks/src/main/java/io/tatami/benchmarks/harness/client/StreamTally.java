package io.tatami.benchmarks.harness.client;

/**
 * What one stream did.
 *
 * @param nanos until it had nothing more to do, a writer's last file closed
 * @param longestCallNanos the longest that it was kept waiting by one call
 */
public record StreamTally(boolean isReader, long bytes, long nanos, long longestCallNanos) {
    /** What {@link #toString} made. */
    static StreamTally parse(String text) {
        String[] parts = text.split(":", -1);
        return new StreamTally(
                parts[0].equals("reader"),
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]));
    }

    public double megabytesPerSecond() {
        return bytes * 1e3 / nanos;
    }

    /** One word of a worker's answer. */
    @Override
    public String toString() {
        return (isReader ? "reader:" : "writer:") + bytes + ":" + nanos + ":" + longestCallNanos;
    }
}
