package io.tatami.benchmarks.workload.ior;

/**
 * One measurement: writers that begin at the same time, each with one file, on clients that are on the nodes of a lab.
 *
 * @param servers block servers, each on a node
 * @param transfer bytes of each call
 */
record IorCell(int servers, int writers, ByteSize transfer) {
    private static final long MEBIBYTE = 1 << 20;

    /** A longer file has several blocks. */
    private static final long BLOCK_MEBIBYTES_MAX = 1_024;

    /**
     * The length of each file, so that volumes that get as much each write for a given time. A file is in one block:
     * fewer writers than servers write to as many servers as they are.
     *
     * @param volumeBytes that one volume writes in that time
     * @return whole transfers, and no less than the smallest block
     */
    long fileBytes(long volumeBytes) {
        long share = volumeBytes * Math.min(servers, writers) / writers;
        return roundUp(Math.max(share, MEBIBYTE), transfer.bytes());
    }

    /** Of the files' blocks; whole MiB. */
    static long blockBytes(long fileBytes) {
        return Math.min(roundUp(fileBytes, MEBIBYTE), BLOCK_MEBIBYTES_MAX * MEBIBYTE);
    }

    private static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }

    /**
     * How many of the writers a node has.
     *
     * @param node from 0
     */
    int writersOn(int node) {
        return writers / servers + (node < writers % servers ? 1 : 0);
    }

    /** The number of a node's first writer, from 0. */
    int firstWriterOn(int node) {
        return node * (writers / servers) + Math.min(node, writers % servers);
    }

    /** Whether there are too few writers to keep all servers busy. */
    boolean leavesServersIdle() {
        return writers < servers;
    }

    /** What {@code Rounds} calls the rate. */
    String rate() {
        return servers + " servers, " + transfer + ", " + writers + " writers, MB/s";
    }

    /** What {@code Rounds} calls the skew of the files. */
    String skew() {
        return servers + " servers, " + transfer + ", " + writers + " writers, skew";
    }

    /** What {@code Rounds} calls the sum of what each of the servers does alone; the same for any number of writers. */
    String sum() {
        return servers + " servers, " + transfer + ", sum of each alone, MB/s";
    }
}
