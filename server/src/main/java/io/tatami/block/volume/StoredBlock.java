package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;

/**
 * What a volume holds of a block, as it was at one moment.
 *
 * @param generation the generation adopted last
 * @param durableBytes how many bytes survive a power cut
 * @param visibleBytes how many bytes readers may see; at least {@code durableBytes}
 * @param heldBytes how many bytes are here, in memory or on the device; at least {@code visibleBytes}
 * @param finalized whether the block was finished; otherwise it is being written, or was when its writer or the server
 *     stopped
 * @param damaged whether a chunk of it failed its checksum since the volume was opened
 * @param mayLackFlushed whether bytes may be missing that were flushed and not synced: the host was booted while the
 *     block was being written, and nobody has gone on with it since
 */
public record StoredBlock(
        BlockId block,
        Generation generation,
        long durableBytes,
        long visibleBytes,
        long heldBytes,
        boolean finalized,
        boolean damaged,
        boolean mayLackFlushed) {}
