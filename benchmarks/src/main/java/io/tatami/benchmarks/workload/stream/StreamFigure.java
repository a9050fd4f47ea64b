package io.tatami.benchmarks.workload.stream;

/**
 * What a figure of the streams is of, apart from whose it is.
 *
 * @param workload {@code write}, {@code write-synced}, {@code cold-read} or {@code warm-read}
 */
record StreamFigure(String workload, int streams) {
    /** The disk's ceiling. */
    static String ceiling(String direction) {
        return "MB/s " + direction + " of the device";
    }

    boolean isWrite() {
        return workload.startsWith("write");
    }

    /** The same with the time of the sync that follows. */
    StreamFigure synced() {
        return new StreamFigure(workload + "-synced", streams);
    }

    /** The ceiling that this cannot pass, other than from memory. */
    String ceiling() {
        return ceiling(isWrite() ? "write" : "read");
    }

    String rate(String peer) {
        return "MB/s " + this + " " + peer;
    }

    /** CPU time of clients and servers together. */
    String cpu(String peer) {
        return "CPU-s/GB " + this + " " + peer;
    }

    @Override
    public String toString() {
        return workload + " x" + streams;
    }
}
