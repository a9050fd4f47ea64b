package io.tatami.benchmarks.workload.simulate;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The holders of all blocks, as two bytes a copy: {@code short[shard][block * copies + i]}, where 0 is none. There is
 * no index by server: what a server holds is found by passing over a shard's array, which is what a cursor over a
 * server's records stands for here. A block is named by its shard and its number in the shard, from 0.
 */
final class BlockTable {
    private static final int NONE = -1;

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
     * Blocks where HDFS's rule has them, drawn at random: the first copy anywhere, the second in another rack, the
     * third in the rack of the second, any others anywhere. {@code BlockPlacer}, which looks at all servers for each
     * block, would take an hour for 100 million.
     *
     * @param heavy a server that has a copy of so many blocks, spread evenly over all and over the first three copies,
     *     and of no others; 0 for none
     */
    static BlockTable laid(ClusterShape shape, Fleet fleet, int heavy, long heavyBlocks) {
        BlockTable table = new BlockTable(shape);
        Draw draw = new Draw(shape, fleet, heavy);
        for (int shard = 0; shard < shape.shards(); shard++) {
            for (int block = 0; block < table.blocks(shard); block++) {
                long number = shape.firstBlock(shard) + block;
                long part = part(number, heavyBlocks, shape);
                boolean isHeavy = heavy > 0 && part(number + 1, heavyBlocks, shape) > part;
                draw.block(isHeavy ? (int) (part % Math.min(3, shape.copies())) : NONE);
                System.arraycopy(draw.chosen, 0, table.holders[shard], block * table.copies, table.copies);
            }
        }
        return table;
    }

    private static long part(long number, long of, ClusterShape shape) {
        return (long) ((double) number * of / shape.blocks());
    }

    /** The holders of one block after the other. */
    private static final class Draw {
        private static final int TRIES_MAX = 10_000;

        private final ClusterShape shape;
        private final Fleet fleet;
        private final int heavy;
        private final SplittableRandom random;
        private final short[] chosen;

        Draw(ClusterShape shape, Fleet fleet, int heavy) {
            this.shape = shape;
            this.fleet = fleet;
            this.heavy = heavy;
            this.random = new SplittableRandom(shape.seed());
            this.chosen = new short[shape.copies()];
        }

        /** @param heavyAt which copy the heavy server has */
        void block(int heavyAt) {
            Arrays.fill(chosen, (short) 0);
            if (heavyAt != NONE) {
                chosen[heavyAt] = (short) heavy;
            }
            for (int copy = 0; copy < chosen.length; copy++) {
                if (copy != heavyAt) {
                    chosen[copy] = (short) server(copy, heavyAt);
                }
            }
        }

        private int server(int copy, int heavyAt) {
            int heavyRack = heavyAt > 0 ? fleet.rackOf(heavy) : NONE;
            int inRack = copy == 1 ? heavyRack : copy == 2 ? rackOf(1) : NONE;
            int notInRack = copy == 0 ? heavyRack : copy == 1 ? rackOf(0) : NONE;
            for (int tries = 0; tries < TRIES_MAX; tries++) {
                boolean isByRack = tries < TRIES_MAX / 2;
                int server = isByRack && inRack != NONE
                        ? fleet.inRack(inRack, random.nextInt(fleet.inRack(inRack)))
                        : 1 + random.nextInt(shape.nodes());
                if (server != heavy && !isChosen(server) && !(isByRack && fleet.rackOf(server) == notInRack)) {
                    return server;
                }
            }
            throw new IllegalStateException("no server for copy " + copy);
        }

        private int rackOf(int copy) {
            return fleet.rackOf(Short.toUnsignedInt(chosen[copy]));
        }

        private boolean isChosen(int server) {
            for (short other : chosen) {
                if (Short.toUnsignedInt(other) == server) {
                    return true;
                }
            }
            return false;
        }
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
