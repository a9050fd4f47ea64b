package io.tatami.block.volume;

import io.tatami.base.ChunkChecksum;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Bytes that lie one behind the other in several buffers, as they came off the network. They are taken from the front,
 * which moves the positions of the buffers. Used by one thread.
 */
public final class ScatteredBytes {
    private final ByteBuffer[] parts;
    private int firstPart;
    private int remaining;

    private ScatteredBytes(ByteBuffer[] parts) {
        this.parts = parts;
        for (ByteBuffer part : parts) {
            remaining = Math.addExact(remaining, part.remaining());
        }
    }

    /** What is between position and limit of each of {@code parts}, which must not be used otherwise meanwhile. */
    public static ScatteredBytes of(ByteBuffer... parts) {
        return new ScatteredBytes(parts);
    }

    /** How many bytes were not taken yet. */
    public int remaining() {
        return remaining;
    }

    /**
     * The CRC32Cs of the pieces of what was not taken yet; takes nothing.
     *
     * @param offsetBytes where in the block the first of the bytes lies
     */
    int[] pieceChecksums(long offsetBytes) {
        int[] checksums = new int[ChunkChecksum.pieces(offsetBytes, remaining)];
        CRC32C crc = new CRC32C();
        int piece = 0;
        int unseen = remaining;
        int missing = ChunkChecksum.firstPieceBytes(offsetBytes, unseen);
        for (int i = firstPart; i < parts.length; i++) {
            ByteBuffer view = parts[i].duplicate();
            int end = view.limit();
            while (view.position() < end) {
                int length = Math.min(missing, end - view.position());
                crc.update(view.limit(view.position() + length));
                missing -= length;
                unseen -= length;
                if (missing == 0) {
                    checksums[piece++] = (int) crc.getValue();
                    crc.reset();
                    missing = ChunkChecksum.firstPieceBytes(offsetBytes + remaining - unseen, unseen);
                }
            }
        }
        return checksums;
    }

    /** Takes {@code length} bytes, of those {@link #remaining}, to {@code into} from {@code index} on. */
    void take(int length, ByteBuffer into, int index) {
        int taken = 0;
        while (taken < length) {
            ByteBuffer part = parts[firstPart];
            int step = Math.min(length - taken, part.remaining());
            into.put(index + taken, part, part.position(), step);
            part.position(part.position() + step);
            taken += step;
            if (!part.hasRemaining()) {
                firstPart++;
            }
        }
        remaining -= length;
    }
}
