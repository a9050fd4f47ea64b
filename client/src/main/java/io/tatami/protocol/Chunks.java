package io.tatami.protocol;

import io.netty.buffer.ByteBuf;
import io.tatami.base.Check;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32C;

/**
 * How the bytes of a block are cut for checksums. Chunks of 64 KiB are counted from the start of the block; a frame that
 * begins or ends inside a chunk holds a part of it. Each chunk, or part of one, in a frame is a <i>piece</i> and has a
 * CRC32C (RFC 3720, appendix B.4) of its own.
 */
public final class Chunks {
    public static final int CHUNK_BYTES = 64 << 10;

    /** The largest payload of a frame of data. */
    public static final int PAYLOAD_BYTES_MAX = 1 << 20;

    /** What {@link #firstBadPiece} answers when all are good. */
    public static final int NONE = -1;

    private Chunks() {}

    /** How many pieces {@code length} bytes from {@code offset} on are cut into. */
    public static int pieces(long offset, int length) {
        if (length == 0) {
            return 0;
        }
        return Math.toIntExact((offset + length - 1) / CHUNK_BYTES - offset / CHUNK_BYTES + 1);
    }

    /** How long the piece at {@code offset} is when {@code remaining} bytes follow, itself included. */
    public static int pieceBytes(long offset, int remaining) {
        return Math.min(remaining, CHUNK_BYTES - (int) (offset % CHUNK_BYTES));
    }

    /**
     * How much a frame may hold that begins at {@code offset}: up to the next multiple of {@link #PAYLOAD_BYTES_MAX}, so
     * that frames after an odd one are whole chunks again.
     */
    public static int payloadRoomBytes(long offset) {
        return PAYLOAD_BYTES_MAX - (int) (offset % PAYLOAD_BYTES_MAX);
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
            int length = pieceBytes(at, end - index);
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
        return piece == 0 ? offset : (offset / CHUNK_BYTES + piece) * CHUNK_BYTES;
    }
}
