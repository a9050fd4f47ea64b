package io.tatami.benchmarks.workload.simulate;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The holders of all blocks, as two bytes a copy: {@code short[shard][block * copies + i]}, where 0 is none. There is
 * no index by server: what a server holds is found by passing over a shard's array, which is what a cursor over a
 * server's records stands for here. A block is named by its shard and its number in the shard, from 0.
 */
final class BlockTable {
    private final int copies;
    private final short[][] holders;

    private BlockTable(ClusterShape shape) {
        this.copies = shape.copies();
        this.holders = new short[shape.shards()][];
        for (int shard = 0; shard < holders.length; shard++) {
            long blocks = shape.firstBlock(shard + 1) - shape.firstBlock(shard);
            holders[shard] = new short[Math.toIntExact(blocks * copies)];
        }
    }

    /**
     * Blocks where HDFS's rule has them, drawn at random: the first copy anywhere, the second in another rack, the third
     * in the rack of the second, any others anywhere. {@code BlockPlacer}, which looks at all servers for each block, would
     * take an hour for 100 million.
     *
     * @param heavy a server that has the first copies of some blocks, spread evenly over all, and no other copies; 0 for
     *     none
     */
    static BlockTable laid(ClusterShape shape, Fleet fleet, int heavy, long heavyBlocks) {
        BlockTable table = new BlockTable(shape);
        SplittableRandom random = new SplittableRandom(shape.seed());
        short[] chosen = new short[shape.copies()];
        for (int shard = 0; shard < shape.shards(); shard++) {
            int blocks = table.blocks(shard);
            for (int block = 0; block < blocks; block++) {
                long number = shape.firstBlock(shard) + block;
                boolean isHeavy = heavy > 0 && part(number + 1, heavyBlocks, shape) > part(number, heavyBlocks, shape);
                Arrays.fill(chosen, (short) 0);
                for (int i = 0; i < chosen.length; i++) {
                    chosen[i] = (short) (i == 0 && isHeavy ? heavy : draw(shape, fleet, heavy, chosen, i, random));
                }
                System.arraycopy(chosen, 0, table.holders[shard], block * chosen.length, chosen.length);
            }
        }
        return table;
    }

    private static long part(long number, long of, ClusterShape shape) {
        return (long) ((double) number * of / shape.blocks());
    }

    private static int draw(
            ClusterShape shape, Fleet fleet, int heavy, short[] chosen, int count, SplittableRandom random) {
        int server = 1;
        for (int tries = 0; tries < 10_000; tries++) {
            server = 1 + random.nextInt(shape.nodes());
            if (count == 2 && tries < 5_000) {
                int rack = fleet.rackOf(Short.toUnsignedInt(chosen[1]));
                server = fleet.inRack(rack, random.nextInt(fleet.inRack(rack)));
            }
            boolean isTaken = server == heavy || contains(chosen, count, server);
            boolean fits = count != 1
                    || tries >= 5_000
                    || fleet.rackOf(server) != fleet.rackOf(Short.toUnsignedInt(chosen[0]));
            if (!isTaken && fits) {
                return server;
            }
        }
        throw new IllegalStateException("no server for copy " + count);
    }

    private static boolean contains(short[] chosen, int count, int server) {
        for (int i = 0; i < count; i++) {
            if (Short.toUnsignedInt(chosen[i]) == server) {
                return true;
            }
        }
        return false;
    }

    int blocks(int shard) {
        return holders[shard].length / copies;
    }

    int shards() {
        return holders.length;
    }

    /** Of its copies. */
    static int bytesPerBlock(int copies) {
        return copies * Short.BYTES;
    }

    /** The server of a copy; 0 for none. */
    int holder(int shard, int block, int copy) {
        return Short.toUnsignedInt(holders[shard][block * copies + copy]);
    }

    int[] holders(int shard, int block) {
        int[] found = new int[copies];
        int count = 0;
        for (int copy = 0; copy < copies; copy++) {
            int server = holder(shard, block, copy);
            if (server != 0) {
                found[count++] = server;
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** The servers of a block from now on, as many as it has copies, or fewer. */
    void put(int shard, int block, int[] servers) {
        if (servers.length > copies) {
            throw new IllegalArgumentException(servers.length + " copies of a block that is to have " + copies);
        }
        for (int copy = 0; copy < copies; copy++) {
            holders[shard][block * copies + copy] = copy < servers.length ? (short) servers[copy] : 0;
        }
    }

    /** The first block from one on that a server has; -1 for none. */
    int next(int shard, int from, int server) {
        short[] of = holders[shard];
        short wanted = (short) server;
        for (int i = from * copies; i < of.length; i++) {
            if (of[i] == wanted) {
                return i / copies;
            }
        }
        return -1;
    }
}
