package io.tatami.block.service;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.CrashPoint;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.UnitCopies;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadCredit;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.rpc.ServerStream;
import org.jspecify.annotations.Nullable;

/** Sends units as payload of frames of up to 1 MiB, from the volume's buffers. */
final class FrameDelivery implements UnitDelivery {
    private final ServerStream<ReadFrame, ReadBlockReply> stream;
    private final UnitCopies copies;
    private @Nullable ReadUnit unit;
    private @Nullable UnitBytes bytes;
    private int sentPieces;

    FrameDelivery(ServerStream<ReadFrame, ReadBlockReply> stream, UnitCopies copies) {
        this.stream = stream;
        this.copies = copies;
    }

    @Override
    public long firstCredit(ReadBlockRequest request) {
        return request.getCreditBytes();
    }

    @Override
    public BlockReader open(VolumeSet.Found found, ReadBlockRequest request, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return found.volume().read(found.stored().block(), request.getGeneration(), offsetBytes, lengthBytes, copies);
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

    @Override
    public Sent send() {
        if (unit == null || bytes == null) {
            throw new IllegalStateException("no unit to send from");
        }
        long offset = unit.offsetBytes() + bytes.readerIndex();
        int length = Math.min(bytes.readableBytes(), BlockPayload.roomBytes(offset));
        ReadFrame.Builder frame = ReadFrame.newBuilder().setOffset(offset).setOrigin(origin(unit));
        int pieces = ChunkChecksum.pieces(offset, length);
        for (int piece = 0; piece < pieces; piece++) {
            frame.addChecksum(unit.pieceChecksums()[sentPieces + piece]);
        }
        sentPieces += pieces;
        CrashPoint.hit("service.read.before-frame");
        stream.sendAndRelease(frame.build(), bytes.readRetainedSlice(length));
        if (!bytes.isReadable()) {
            park();
        }
        return new Sent(length, length);
    }

    @Override
    public long credit(ReadCredit message) {
        return Math.max(0, message.getBytes());
    }

    @Override
    public boolean isStuck() {
        return false;
    }

    @Override
    public void park() {
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
