package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockPayload;
import java.nio.ByteBuffer;

/**
 * A frame that was made and not acknowledged by every server. It owns one reference to its payload, until
 * {@link #release}; not for use by two threads at once.
 */
public final class PendingFrame {
    private final long offset;
    private final FrameBuffer buffer;
    private final int[] checksums;

    /** Takes ownership of {@code buffer} and {@code checksums}. */
    PendingFrame(long offset, FrameBuffer buffer, int[] checksums) {
        this.offset = offset;
        this.buffer = buffer;
        this.checksums = checksums;
    }

    /** Where in the block it begins. */
    long offset() {
        return offset;
    }

    int lengthBytes() {
        return payload().readableBytes();
    }

    /** Where in the block it ends. */
    public long endOffset() {
        return offset + lengthBytes();
    }

    /**
     * The bytes from an offset in the block on, not to be used after {@link #release}.
     *
     * @param start not behind the frame's end; before its begin stands for that
     * @throws TatamiException CORRUPT, see {@link #verify}
     */
    public ByteBuffer bytesFrom(BlockId block, long start) throws TatamiException {
        verify(block);
        int skipped = (int) Math.max(0, start - offset);
        return payload().nioBuffer(payload().readerIndex() + skipped, lengthBytes() - skipped);
    }

    /** @throws TatamiException CORRUPT where the bytes are not those that the writer gave */
    void verify(BlockId block) throws TatamiException {
        int bad = BlockPayload.firstBadPiece(payload(), offset, piece -> checksums[piece]);
        if (bad != BlockPayload.NONE) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "bytes of " + block + " from " + BlockPayload.pieceOffset(offset, bad)
                            + " on changed in memory before they were sent; do not change a buffer while it is written");
        }
    }

    /** {@code bytes} of this frame from {@code start} in the block on, which are the same still; this frame stays. */
    PendingFrame part(BlockId block, long start, int bytes) throws TatamiException {
        verify(block);
        ByteBuf part = payload().retainedSlice((int) (start - offset), bytes);
        int[] crcs = new int[ChunkChecksum.pieces(start, bytes)];
        int index = 0;
        for (int piece = 0; piece < crcs.length; piece++) {
            int length = ChunkChecksum.firstPieceBytes(start + index, bytes - index);
            crcs[piece] = BlockPayload.crc(part, index, length);
            index += length;
        }
        return new PendingFrame(start, FrameBuffer.own(part), crcs);
    }

    /** Gives the payload up; it goes back to its pool once the network has let go of it too. Once. */
    public void release() {
        payload().release();
    }

    /** Still owned by this frame. */
    ByteBuf payload() {
        return buffer.bytes();
    }

    FrameBuffer buffer() {
        return buffer;
    }

    int[] checksums() {
        return checksums;
    }
}
