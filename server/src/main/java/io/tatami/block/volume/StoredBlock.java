package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.block.volume.index.CopyNumbers;

/**
 * What a volume holds of a block, as it was at one moment.
 *
 * @param numbers of the copy
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
        CopyNumbers numbers,
        long durableBytes,
        long visibleBytes,
        long heldBytes,
        boolean finalized,
        boolean damaged,
        boolean mayLackFlushed) {
    /** The generation of the bytes. */
    public Generation generation() {
        return numbers.generation();
    }

    /** Below it no writer and no finalization is taken. */
    public Generation promised() {
        return numbers.promised();
    }

    /** 0 for a copy that was granted with the block. */
    public int copyNumber() {
        return numbers.number();
    }
}
