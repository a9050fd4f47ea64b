package io.tatami.block.volume;

import io.tatami.base.TatamiException;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a range of a block, in order, reading ahead of its user. Used by one thread at a time. The bytes are
 * those that were visible when the reader was opened; when the block is deleted, cut or moved meanwhile, {@link #next()}
 * says so and never returns bytes of something else.
 */
public final class BlockReader implements AutoCloseable {
    BlockReader() {}

    /**
     * The next bytes, or null at the end of the range. Blocks while they are read. Units end at multiples of 4 MiB of the
     * block, so that all but the first and the last have that size. The caller owns the unit and closes it.
     *
     * @throws TatamiException CORRUPT where a chunk fails its checksum (detail: where in the block it begins);
     *     NO_SUCH_BLOCK where the block was deleted; BUSY where it was cut or moved, or where no buffer became free in time;
     *     IO_ERROR
     */
    public @Nullable ReadUnit next() throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /** Stops reading ahead and gives back the buffers of what was not fetched; units already fetched stay valid. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
