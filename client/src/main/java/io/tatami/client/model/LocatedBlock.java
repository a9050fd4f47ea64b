package io.tatami.client.model;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import java.util.List;

/**
 * A block of a file and where its copies are.
 *
 * @param block {@link BlockId#NONE} for the one synthetic block of a file stored in its entry
 * @param offsetBytes where the block begins in its file
 * @param lengthBytes as committed; of a block being written a lower bound
 * @param holders in no order of preference; empty where no copy is known
 * @param open somebody writes the block
 */
public record LocatedBlock(BlockId block, long offsetBytes, long lengthBytes, List<Holder> holders, boolean open) {
    /**
     * A block server with a copy.
     *
     * @param host the name tasks are scheduled by
     * @param port of the data port
     * @param rack such as {@code /default-rack}; empty where unknown
     * @param storageType Hadoop's name, such as {@code DISK}
     * @param alive false where the cluster counts the server as dead
     */
    public record Holder(ServerId server, String host, int port, String rack, String storageType, boolean alive) {}
}
