package io.tatami.benchmarks.workload.simulate;

/**
 * A simulated cluster.
 *
 * @param nodes block servers at the beginning, each on a host of its own
 * @param racks the servers are spread over them evenly
 * @param shards the blocks are spread over them evenly
 * @param blocks in all
 * @param copies of each block
 * @param blockBytes length of each block
 * @param disks of each server
 * @param diskBytesPerSecond what a disk reads and writes together
 * @param linkBytesPerSecond what a server's link carries each way
 * @param copyBytesPerSecond what a server sends and receives for copies, but for blocks with one good copy left; 0 for
 *     no limit ({@code tatami.block.copy.rate})
 * @param usedPercent how full the servers are at the beginning
 * @param inFlightMax of each shard ({@code tatami.copies.in-flight-max})
 * @param pullsMax of each disk ({@code tatami.block.pulls.max})
 * @param seed of everything random
 */
record ClusterShape(
        int nodes,
        int racks,
        int shards,
        long blocks,
        int copies,
        long blockBytes,
        int disks,
        long diskBytesPerSecond,
        long linkBytesPerSecond,
        long copyBytesPerSecond,
        int usedPercent,
        int inFlightMax,
        int pullsMax,
        long seed) {
    /** As many servers as ids of two bytes can name. */
    static final int NODES_MAX = 65_000;

    ClusterShape {
        require(nodes >= 1 && nodes <= NODES_MAX, "nodes are 1 to " + NODES_MAX);
        require(racks >= 1 && racks <= nodes, "racks are 1 to as many as nodes");
        require(copies >= 1 && copies <= nodes, "copies are 1 to as many as nodes");
        require(shards >= 1 && blocks >= shards, "each shard has a block");
        require((blocks / shards + 1) * copies <= Integer.MAX_VALUE - 8, "a shard's copies fit into an array");
        require(blockBytes > 0 && disks > 0 && diskBytesPerSecond > 0 && linkBytesPerSecond > 0, "sizes are positive");
        require(usedPercent > 0 && usedPercent < 90, "servers are used to 1 to 89 percent");
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /** The first block of a shard; that of {@code shards} is the end. */
    long firstBlock(int shard) {
        return blocks * shard / shards;
    }

    /** What each server has on average. */
    long meanBytes() {
        return (long) ((double) blocks * copies / nodes * blockBytes);
    }

    ClusterShape withCopyRate(long bytesPerSecond) {
        return new ClusterShape(
                nodes,
                racks,
                shards,
                blocks,
                copies,
                blockBytes,
                disks,
                diskBytesPerSecond,
                linkBytesPerSecond,
                bytesPerSecond,
                usedPercent,
                inFlightMax,
                pullsMax,
                seed);
    }
}
