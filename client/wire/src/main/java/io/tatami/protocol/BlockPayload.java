package io.tatami.protocol;

import io.netty.buffer.ByteBuf;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32C;

/**
 * What the frames of {@link BlockMethods#WRITE_BLOCK} and {@link BlockMethods#READ_BLOCK} carry: bytes of a block, with
 * a CRC32C (RFC 3720, appendix B.4) for each of the pieces that {@link ChunkChecksum} cuts them into.
 */
public final class BlockPayload {
    /** The largest payload of a frame. */
    public static final int BYTES_MAX = 1 << 20;

    /** The most a writer may have unacknowledged; a server that keeps more gives the stream up. */
    public static final int WINDOW_BYTES_MAX = 16 << 20;

    /** How much may be unacknowledged at a server that tells no limit. */
    public static final int WINDOW_BYTES_UNTOLD = 12 << 20;

    /** How much may be sent before the first acknowledgement: a short file is one message. */
    public static final int OPENING_BYTES = BYTES_MAX;

    /** What may always be sent once all before it is acknowledged. */
    public static final int GUARANTEED_BYTES = 128 << 10;

    /** What {@link #firstBadPiece} answers when all are good. */
    public static final int NONE = -1;

    private BlockPayload() {}

    /**
     * How much a frame may hold that begins at {@code offset}: up to the next multiple of {@link #BYTES_MAX}, so that
     * frames after an odd one are whole chunks again.
     */
    public static int roomBytes(long offset) {
        return BYTES_MAX - (int) (offset % BYTES_MAX);
    }

    /** CRC32C of {@code length} bytes at {@code index}; no index of the buffer changes. */
    public static int crc(ByteBuf bytes, int index, int length) {
        CRC32C crc = new CRC32C();
        if (bytes.nioBufferCount() == 1) {
            crc.update(bytes.nioBuffer(index, length));
        } else {
            for (ByteBuffer part : bytes.nioBuffers(index, length)) {
                crc.update(part);
            }
        }
        return (int) crc.getValue();
    }

    /**
     * The first piece of a frame's readable bytes that does not match its checksum.
     *
     * @param offset where in the block the payload begins
     * @param checksums gives the checksum of a piece by its number
     * @return a piece's number, or {@link #NONE}
     */
    public static int firstBadPiece(ByteBuf payload, long offset, IntUnaryOperator checksums) {
        int end = payload.writerIndex();
        int index = payload.readerIndex();
        long at = offset;
        for (int piece = 0; index < end; piece++) {
            int length = ChunkChecksum.firstPieceBytes(at, end - index);
            if (crc(payload, index, length) != checksums.applyAsInt(piece)) {
                return piece;
            }
            index += length;
            at += length;
        }
        return NONE;
    }

    /** Where in the block the piece numbered {@code piece} of a frame at {@code offset} begins. */
    public static long pieceOffset(long offset, int piece) {
        Check.check(piece >= 0, "piece %d", piece);
        return piece == 0 ? offset : (offset / ChunkChecksum.CHUNK_BYTES + piece) * ChunkChecksum.CHUNK_BYTES;
    }
}
