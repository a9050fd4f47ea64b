package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockReader;

/** The volumes, for the tier to copy from. Calls block on the disk, but where they say that they do not. */
public interface UnitSource {
    /** How many volumes there are. */
    int volumeCount();

    /**
     * The number of the volume that has a block, below {@link #volumeCount}; 0 where none has it. Does not wait for a
     * disk.
     */
    int volumeOf(BlockId block);

    /** Whether the device of a volume hangs now. Does not wait for it. */
    boolean isHanging(int volume);

    /**
     * How many bytes of a finalized block are here.
     *
     * @throws TatamiException NO_SUCH_BLOCK where it is not here, or only below {@code generation}; BUSY where it is
     *     still being written
     */
    long lengthBytes(BlockId block, Generation generation) throws TatamiException;

    /** Reads a range of it from the volume. */
    BlockReader open(BlockId block, Generation generation, long offsetBytes, long lengthBytes) throws TatamiException;
}
