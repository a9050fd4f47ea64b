package io.tatami.block.service.read;

import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.Device;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.UnitCopies;
import io.tatami.block.volume.UnitMemory;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.rpc.ServerStream;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Has units read into memory that the reader has mapped, and tells where they lie. A unit there is the reader's until
 * it comes back; the window is counted in whole units, so that where it is open there is a unit to read into. Chunks
 * are verified by the reader alone; when one fails it asks for it again without this memory, and the server finds the
 * damage.
 */
final class SharedDelivery implements UnitDelivery {
    /** Units that a session before had are back soon; those that a device does not give back are not waited for. */
    private static final long WAIT_MILLIS_MAX = 1_000;

    private final ServerStream<ReadFrame, ReadBlockReply> stream;
    private final UnitCopies copies;
    private final AlignedBufferPool memory;
    private final AtomicReferenceArray<@Nullable ReadUnit> lent;
    private @Nullable ReadUnit unit;

    /** @param memory as the reader has mapped it; no other session reads into it */
    SharedDelivery(ServerStream<ReadFrame, ReadBlockReply> stream, UnitCopies copies, AlignedBufferPool memory) {
        this.stream = stream;
        this.copies = copies;
        this.memory = memory;
        this.lent = new AtomicReferenceArray<>(memory.buffers());
    }

    @Override
    public long firstWindow(ReadBlockRequest request) {
        return (long) memory.buffers() * Device.UNIT_BYTES;
    }

    @Override
    public BlockReader open(VolumeSet.Found found, Generation generation, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return found.volume()
                .read(
                        found.stored().block(),
                        generation,
                        offsetBytes,
                        lengthBytes,
                        copies,
                        new UnitMemory(memory, true, null, WAIT_MILLIS_MAX));
    }

    @Override
    public boolean hasMore() {
        return unit != null;
    }

    @Override
    public void load(ReadUnit next) {
        unit = next;
    }

    @Override
    public boolean canSend() {
        return true;
    }

    @Override
    public Sent send(long windowBytes) {
        ReadUnit sent = unit;
        if (sent == null) {
            throw new IllegalStateException("no unit to tell of");
        }
        ReadFrame.Builder frame = ReadFrame.newBuilder()
                .setOffset(sent.offsetBytes())
                .setOrigin(FrameDelivery.origin(sent))
                .setSharedUnit(sent.bufferNumber())
                .setStart(sent.data().position())
                .setLength(sent.data().remaining());
        for (int checksum : sent.pieceChecksums()) {
            frame.addChecksum(checksum);
        }
        unit = null;
        lent.set(sent.bufferNumber(), sent);
        CrashPoint.hit("service.read.before-frame");
        stream.send(frame.build());
        return new Sent(sent.data().remaining(), Device.UNIT_BYTES, sent.origin());
    }

    @Override
    public long extension(ReadWindowUpdate message) {
        int number = message.getSharedUnit();
        return message.hasSharedUnit() && number >= 0 && number < lent.length() && giveBack(number)
                ? Device.UNIT_BYTES
                : 0;
    }

    @Override
    public boolean isStuck() {
        return memory.freeBuffers() == 0;
    }

    @Override
    public void park() {
        if (unit != null) {
            unit.close();
            unit = null;
        }
    }

    /**
     * A reader that was told the stream's end reads on what it has: nobody else is given this memory before it is done.
     */
    @Override
    public void close() {
        park();
        for (int number = 0; number < lent.length(); number++) {
            giveBack(number);
        }
    }

    private boolean giveBack(int number) {
        ReadUnit back = lent.getAndSet(number, null);
        if (back != null) {
            back.close();
        }
        return back != null;
    }
}
