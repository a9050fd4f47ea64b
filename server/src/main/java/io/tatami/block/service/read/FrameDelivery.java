package io.tatami.block.service.read;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.UnitCopies;
import io.tatami.block.volume.UnitMemory;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.rpc.ServerStream;
import org.jspecify.annotations.Nullable;

/** Sends units as payload of frames of up to 1 MiB, from the volume's buffers. */
public final class FrameDelivery implements UnitDelivery {
    private final ServerStream<ReadFrame, ReadBlockReply> stream;
    private final UnitCopies copies;
    private final CopiedFrames copied;
    private final String connection;
    private final boolean background;
    private @Nullable ReadUnit unit;
    private @Nullable UnitBytes bytes;
    private int sentPieces;

    /** Whether the next frame is to be a copy, for which as much as a frame holds was taken. */
    private boolean copying;

    /**
     * @param copied for frames that would else hold the last buffers until their receiver takes them
     * @param connection whose readers share what one connection may have of the buffers and of {@code copied}
     */
    public FrameDelivery(
            ServerStream<ReadFrame, ReadBlockReply> stream, UnitCopies copies, CopiedFrames copied, String connection) {
        this(stream, copies, copied, connection, false);
    }

    /** @param background whether all others who read from the volume come first */
    FrameDelivery(
            ServerStream<ReadFrame, ReadBlockReply> stream,
            UnitCopies copies,
            CopiedFrames copied,
            String connection,
            boolean background) {
        this.background = background;
        this.stream = stream;
        this.copies = copies;
        this.copied = copied;
        this.connection = connection;
    }

    @Override
    public long firstWindow(ReadBlockRequest request) {
        return request.getWindowBytes();
    }

    @Override
    public BlockReader open(VolumeSet.Found found, Generation generation, long offsetBytes, long lengthBytes)
            throws TatamiException {
        Volume volume = found.volume();
        UnitMemory memory = volume.readMemory(connection);
        if (background) {
            return volume.readInBackground(found.stored().block(), generation, offsetBytes, lengthBytes, memory);
        }
        return volume.read(found.stored().block(), generation, offsetBytes, lengthBytes, copies, memory);
    }

    @Override
    public boolean hasMore() {
        return bytes != null;
    }

    @Override
    public void load(ReadUnit next) {
        unit = next;
        bytes = new UnitBytes(next);
        sentPieces = 0;
    }

    /**
     * A socket that takes nothing keeps what was sent to it: while buffers are few, that is a copy. So some are always
     * there for those who have none.
     */
    @Override
    public boolean canSend() {
        if (!copying && unit != null && unit.isScarce()) {
            copying = copied.tryTake(connection, BlockPayload.BYTES_MAX);
            return copying;
        }
        return true;
    }

    @Override
    public Sent send(long windowBytes) {
        if (unit == null || bytes == null) {
            throw new IllegalStateException("no unit to send from");
        }
        ReadUnit.Origin sentFrom = unit.origin();
        long offset = unit.offsetBytes() + bytes.readerIndex();
        int room = Math.min(BlockPayload.roomBytes(offset), wholeChunks(offset, windowBytes));
        int length = Math.min(bytes.readableBytes(), room);
        ReadFrame.Builder frame = ReadFrame.newBuilder().setOffset(offset).setOrigin(origin(unit));
        int pieces = ChunkChecksum.pieces(offset, length);
        for (int piece = 0; piece < pieces; piece++) {
            frame.addChecksum(unit.pieceChecksums()[sentPieces + piece]);
        }
        sentPieces += pieces;
        CrashPoint.hit("service.read.before-frame");
        stream.sendAndRelease(frame.build(), copying ? copy(bytes, length) : bytes.readRetainedSlice(length));
        if (!bytes.isReadable()) {
            park();
        }
        return new Sent(length, length, sentFrom);
    }

    /** Up to the end of the chunk in which the window ends. */
    private static int wholeChunks(long offset, long windowBytes) {
        long end = offset + Math.max(1, Math.min(windowBytes, BlockPayload.BYTES_MAX));
        long chunks = (end + ChunkChecksum.CHUNK_BYTES - 1) / ChunkChecksum.CHUNK_BYTES;
        return (int) (chunks * ChunkChecksum.CHUNK_BYTES - offset);
    }

    private ByteBuf copy(UnitBytes from, int length) {
        copying = false;
        copied.giveBack(connection, BlockPayload.BYTES_MAX - length);
        ByteBuf copy = copied.copy(connection, from.nioBuffer(from.readerIndex(), length));
        from.skipBytes(length);
        return copy;
    }

    @Override
    public long extension(ReadWindowUpdate message) {
        return Math.max(0, message.getBytes());
    }

    @Override
    public boolean isStuck() {
        return false;
    }

    @Override
    public void park() {
        if (copying) {
            copying = false;
            copied.giveBack(connection, BlockPayload.BYTES_MAX);
        }
        if (bytes != null) {
            bytes.release();
            bytes = null;
        }
    }

    @Override
    public void close() {
        park();
    }

    static ReadFrame.Origin origin(ReadUnit unit) {
        return switch (unit.origin()) {
            case VOLUME -> ReadFrame.Origin.VOLUME;
            case STAGED -> ReadFrame.Origin.STAGED;
            case LATE -> ReadFrame.Origin.LATE;
        };
    }
}
