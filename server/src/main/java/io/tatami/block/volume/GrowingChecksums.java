package io.tatami.block.volume;

import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The checksums of the chunks of a block that grows at its end. Guarded by the {@link OpenBlock} that has it. */
final class GrowingChecksums {
    private int[] values;

    /** @param values of the chunks that are there; may be longer; become the new object's own */
    GrowingChecksums(int[] values) {
        this.values = values;
    }

    /**
     * Copies bytes for the block's end into memory, where no reader sees them yet, and computes the checksums of the
     * copy, one for each piece that the chunks of the block cut it into.
     *
     * @param lengthBytes where in the block they come
     * @param start where in {@code memory} they come
     */
    static int[] take(ByteSource data, long lengthBytes, int length, ByteBuffer memory, int start)
            throws TatamiException {
        int[] taken = new int[ChunkChecksum.pieces(lengthBytes, length)];
        int done = 0;
        for (int piece = 0; piece < taken.length; piece++) {
            int pieceBytes = ChunkChecksum.firstPieceBytes(lengthBytes + done, length - done);
            data.take(pieceBytes, memory, start + done);
            taken[piece] = ChunkChecksum.of(memory, start + done, pieceBytes);
            done += pieceBytes;
        }
        return taken;
    }

    /** Adds the checksums from {@link #take} of {@code length} bytes that follow the first {@code lengthBytes}. */
    void add(long lengthBytes, int[] added, int length) {
        Check.check(added.length == ChunkChecksum.pieces(lengthBytes, length), "other checksums than of these bytes");
        int chunk = (int) (lengthBytes / ChunkChecksum.CHUNK_BYTES);
        int needed = chunk + added.length;
        if (needed > values.length) {
            values = Arrays.copyOf(values, Math.max(needed, 2 * values.length));
        }
        System.arraycopy(added, 1, values, chunk + 1, added.length - 1);
        boolean begins = lengthBytes % ChunkChecksum.CHUNK_BYTES == 0;
        int firstBytes = ChunkChecksum.firstPieceBytes(lengthBytes, length);
        values[chunk] = begins ? added[0] : ChunkChecksum.concat(values[chunk], added[0], firstBytes);
    }

    void replace(int chunk, int checksum) {
        values[chunk] = checksum;
    }

    /** The array itself: chunks beyond those that are there have none. */
    int[] all() {
        return values;
    }

    /** Of chunks from {@code first} to before {@code end}, as they are now. */
    int[] copy(int first, int end) {
        return Arrays.copyOfRange(values, first, end);
    }
}
