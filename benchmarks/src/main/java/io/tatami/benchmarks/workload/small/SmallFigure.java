package io.tatami.benchmarks.workload.small;

/**
 * What a figure is of, apart from whose it is.
 *
 * @param crowd {@code small} or {@code middling}
 * @param workload {@code load}, {@code load-synced}, {@code cold-list}, {@code cold-read}, {@code warm-list} or
 *     {@code warm-read}
 */
record SmallFigure(String crowd, String workload) {
    /** The same with the time of the sync that follows. */
    SmallFigure synced() {
        return new SmallFigure(crowd, workload + "-synced");
    }

    String rate(String peer) {
        return "files/s " + this + " " + peer;
    }

    /** CPU time of clients and servers together. */
    String cpu(String peer) {
        return "CPU-us/file " + this + " " + peer;
    }

    /** What is taken of the disk above the files' own bytes. */
    String overhead(String peer) {
        return "space overhead in percent " + crowd + " " + peer;
    }

    @Override
    public String toString() {
        return crowd + " " + workload;
    }
}
