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
 * @param unreadable no copy can be read now; false where the health of copies was not asked for
 */
public record LocatedBlock(
        BlockId block, long offsetBytes, long lengthBytes, List<Holder> holders, boolean open, boolean unreadable) {
    /**
     * A block server with a copy.
     *
     * @param host the name tasks are scheduled by
     * @param port of the data port
     * @param rack such as {@code /default-rack}; empty where unknown
     * @param storageType Hadoop's name, such as {@code DISK}
     * @param alive false where the cluster counts the server as dead
     * @param bad the copy is known to be damaged, or gone; false where the health of copies was not asked for
     */
    public record Holder(
            ServerId server, String host, int port, String rack, String storageType, boolean alive, boolean bad) {}
}
