package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockPayload;
import io.tatami.rpc.DirectMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Gathers a writer's bytes into one frame and computes their checksums from the writer's own memory, so that whatever
 * happens to the bytes later is noticed. Used by one thread.
 */
final class FrameBuilder {
    /** What a frame holds where there is no memory for more. */
    private static final int SHORT_BYTES = 16 << 10;

    private final FrameMemory memory;
    private final CRC32C crc = new CRC32C();
    private int[] checksums = new int[0];
    private int pieces;
    private int openPieceBytes;
    private long start;
    private @Nullable FrameBuffer buffer;

    FrameBuilder(FrameMemory memory) {
        this.memory = memory;
    }

    boolean isEmpty() {
        return buffer == null;
    }

    /** Where in the block the frame begins; only where there is one. */
    long offset() {
        return start;
    }

    boolean isFull() {
        return buffer != null && !buffer.bytes().isWritable();
    }

    /**
     * Begins a frame at {@code offset} that holds at most {@code limitBytes}, above 0, and what a frame may hold; less
     * where memory is short.
     *
     * @throws TatamiException BUSY where there is no memory for even a short frame
     */
    void begin(long offset, long limitBytes) throws TatamiException {
        Check.check(buffer == null, "the frame at %d was not taken", start);
        int roomBytes = (int) Math.min(limitBytes, BlockPayload.roomBytes(offset));
        while (buffer == null) {
            try {
                buffer = memory.take(roomBytes);
            } catch (OutOfMemoryError e) {
                if (roomBytes <= SHORT_BYTES) {
                    throw new TatamiException(
                            ErrorCode.BUSY, "cannot write " + roomBytes + " bytes: " + DirectMemory.REMEDY, e);
                }
                roomBytes = SHORT_BYTES;
            }
        }
        checksums = new int[ChunkChecksum.pieces(offset, roomBytes)];
        pieces = 0;
        start = offset;
    }

    /** Takes bytes until the frame is full or {@code source} is empty. */
    void add(ByteBuffer source) {
        ByteBuf target = current().bytes();
        while (target.isWritable() && source.hasRemaining()) {
            long end = start + target.readableBytes();
            int length = Math.min(source.remaining(), ChunkChecksum.firstPieceBytes(end, target.writableBytes()));
            ByteBuffer part = source.slice(source.position(), length);
            crc.update(part);
            target.writeBytes(part.rewind());
            source.position(source.position() + length);
            openPieceBytes += length;
            if ((end + length) % ChunkChecksum.CHUNK_BYTES == 0) {
                endPiece();
            }
        }
    }

    /** Moves to other shared memory, with what is gathered; the frame holds as much as before. */
    void moveTo(RegionLease other) {
        buffer = memory.exchange(other, buffer);
    }

    /** The frame so far; the next one must be begun. */
    PendingFrame take() {
        FrameBuffer taken = current();
        if (openPieceBytes > 0) {
            endPiece();
        }
        buffer = null;
        return new PendingFrame(start, taken, Arrays.copyOf(checksums, pieces));
    }

    private void endPiece() {
        checksums[pieces++] = (int) crc.getValue();
        crc.reset();
        openPieceBytes = 0;
    }

    private FrameBuffer current() {
        if (buffer == null) {
            throw new IllegalStateException("no frame was begun");
        }
        return buffer;
    }
}
