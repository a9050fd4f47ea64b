package io.tatami.block.volume.index;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Generation;
import io.tatami.block.device.Device;
import io.tatami.block.volume.space.Extent;

/**
 * Bytes of a block being written that are behind what the index names: on the device as far as they fill sectors,
 * though not flushed there, and here otherwise.
 *
 * @param base what the index says of the block
 * @param lengthBytes how many bytes the block has with these; at least those of {@code base}
 * @param checksums those of all chunks from {@link #firstChunk} on
 * @param tail the bytes behind the last whole 4 KiB
 */
public record FlushedEnd(Base base, long lengthBytes, int[] checksums, byte[] tail) {
    /** What must be in the index still for the bytes to count. */
    public record Base(BlockId block, Generation generation, Extent extent, long lengthBytes) {
        public static Base of(BlockRecord entry) {
            return new Base(entry.block(), entry.generation(), entry.extent(), entry.lengthBytes());
        }
    }

    public FlushedEnd {
        Check.check(
                lengthBytes >= base.lengthBytes()
                        && lengthBytes <= base.extent().lengthBytes(),
                "%d bytes behind %s",
                lengthBytes,
                base);
        Check.check(
                checksums.length == chunks(base.lengthBytes(), lengthBytes)
                        && tail.length == lengthBytes % Device.ALIGNMENT_BYTES,
                "%d checksums and a tail of %d bytes at %d",
                checksums.length,
                tail.length,
                lengthBytes);
    }

    /** The first chunk whose checksum is not, or not as it is now, in the index. */
    public int firstChunk() {
        return firstChunk(base.lengthBytes());
    }

    public static int firstChunk(long baseBytes) {
        return (int) (baseBytes / ChunkChecksum.CHUNK_BYTES);
    }

    /** How many chunks are new or longer where a block of {@code baseBytes} has {@code lengthBytes} now. */
    static int chunks(long baseBytes, long lengthBytes) {
        return ChunkChecksum.pieces(0, lengthBytes) - firstChunk(baseBytes);
    }

    /** Whether the bytes belong to the block as the index has it: nothing was committed since, and nothing cut. */
    public boolean continues(BlockRecord entry) {
        return !entry.isFinalized() && base.equals(Base.of(entry));
    }

    /**
     * What the index is to say once the bytes are flushed.
     *
     * @param before what it says now, which these bytes continue
     */
    public BlockRecord entry(BlockRecord before) {
        return new BlockRecord(
                base.block(), before.numbers(), base.extent(), lengthBytes, BlockRecord.State.WRITING, tail);
    }
}
