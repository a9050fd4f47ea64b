package io.tatami.block.service.read;

import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read stream. It runs in {@link Turns} on the reader threads of its volume. A turn sends while its window is open
 * and the network takes more, up to {@link BlockServerSettings#readTurnBytes}; the next turn waits behind the volume's
 * other readers. The turn owns the {@link ReadState}. Other threads leave an extension of the window, a stop or a pause
 * in an atomic or volatile field, and ask for a turn.
 */
final class ReadSession implements StreamReceiver<ReadWindowUpdate> {
    private static final Logger LOG = LoggerFactory.getLogger(ReadSession.class);
    private static final ReadFrame QUEUED =
            ReadFrame.newBuilder().setQueued(true).build();

    private final ReadBlockRequest request;
    private final Generation generation;
    private final ServerStream<ReadFrame, ReadBlockReply> stream;
    private final ServerContext context;
    private final ReadStreams streams;

    /** Null for a background reader, which is no job's. */
    private final ReadCounts.@Nullable Counted counted;

    private final Turns turns;
    private final Supplier<UnitDelivery> otherDelivery;
    private volatile UnitDelivery delivery;

    // Left by other threads for the turn.
    private final AtomicLong window;
    private volatile @Nullable TatamiException stopped;
    private volatile boolean parkWanted;

    /** Whether the network will report when it takes more. */
    private volatile boolean awaitingWritable;

    /** Whether the last turn ended for want of something else than the volume: memory, or the rate of copies. */
    private volatile boolean heldUp;

    // Written by the turn, read by the standstill check.
    private volatile ReadState state = new ReadState.Unread();
    private volatile long movedNanos;
    private long sentBytes;

    /**
     * @param delivery owned by the new object
     * @param otherDelivery makes one that is never stuck, for when this one is
     * @param counted closed by the new object
     * @param readers run the turns
     */
    ReadSession(
            ReadBlockRequest request,
            ServerStream<ReadFrame, ReadBlockReply> stream,
            UnitDelivery delivery,
            Supplier<UnitDelivery> otherDelivery,
            ServerContext context,
            ReadStreams streams,
            ReadCounts.@Nullable Counted counted,
            Executor readers) {
        this.request = request;
        this.generation = Generation.of(request.getGeneration());
        this.stream = stream;
        this.context = context;
        this.streams = streams;
        this.counted = counted;
        this.turns = new Turns(readers, this::turn);
        this.delivery = delivery;
        this.otherDelivery = otherDelivery;
        this.window = new AtomicLong(delivery.firstWindow(request));
        this.movedNanos = context.nowNanos();
    }

    /** Begins the session; called once, before any message is delivered. */
    void start() {
        turns.want();
    }

    @Override
    public void onMessage(ReadWindowUpdate more, ByteBuf payload) {
        payload.release();
        long bytes = delivery.extension(more);
        if (bytes > 0 && window.getAndAdd(bytes) <= 0) {
            turns.want();
        }
    }

    @Override
    public void onCancelled(TatamiException reason) {
        stop(reason);
    }

    /** Ends the session. May be called by any thread. */
    void stop(TatamiException reason) {
        stopped = reason;
        turns.want();
    }

    /**
     * Makes a session without progress give its buffers back, unless it could send and only waits for the volume. It
     * opens its reader again when the reader asks for more.
     */
    void checkStandstill() {
        if (state instanceof ReadState.Starved) {
            turns.want();
        }
        long stillNanos = context.nowNanos() - movedNanos;
        if (stillNanos > TimeUnit.MILLISECONDS.toNanos(context.settings().parkMillis())) {
            parkWanted = true;
            turns.want();
        }
    }

    /**
     * Tells the reader that it is queued, where it wants to know and nothing was sent for {@code silentNanos} as only
     * the volume was waited for. May be called by any thread: a frame without bytes may come between any two.
     */
    void tellQueued(long silentNanos) {
        boolean isWaiting = !isOver() && stopped == null && !heldUp && window.get() > 0 && stream.isWritable();
        if (request.getTellsQueued() && isWaiting && context.nowNanos() - movedNanos >= silentNanos) {
            stream.sendOrDrop(QUEUED);
        }
    }

    /** Runs one turn; returns whether another is possible at once. */
    private boolean turn() {
        try {
            return !isOver() && goOn();
        } catch (TatamiException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            // Also an Error ends the stream: its turns would never come again, and its reader would wait for them.
            fail(new TatamiException(ErrorCode.INTERNAL, "reading " + block() + ": " + e, e));
        }
        return false;
    }

    private boolean goOn() throws TatamiException {
        heldUp = false;
        TatamiException reason = stopped;
        if (reason != null) {
            throw reason;
        }
        boolean stoodStill = parkWanted;
        parkWanted = false;
        if (window.get() <= 0 || !stream.isWritable()) {
            if (stoodStill) {
                movedNanos = context.nowNanos();
                park();
            }
            return awaitRoom();
        }
        long turnEnd = sentBytes + context.settings().readTurnBytes();
        while (window.get() > 0 && stream.isWritable() && sentBytes < turnEnd && stopped == null) {
            if (request.getBackground() && !streams.mayCopy(turns::want)) {
                heldUp = true;
                return false;
            }
            if (!delivery.hasMore() && !opened().reader().hasBuffer(turns::want)) {
                heldUp = true;
                return false;
            }
            if (!delivery.hasMore() && !nextUnit()) {
                end();
                CrashPoint.hit("service.read.before-end");
                stream.success(ReadBlockReply.newBuilder().setLength(sentBytes).build());
                return false;
            }
            if (!delivery.canSend()) {
                heldUp = true;
                starve();
                return false;
            }
            sendFrame();
        }
        return awaitRoom();
    }

    /** Returns whether another turn is possible at once; otherwise one is requested when it becomes possible. */
    private boolean awaitRoom() {
        if (window.get() > 0 && !stream.isWritable()) {
            if (!awaitingWritable) {
                awaitingWritable = true;
                stream.whenWritable(() -> {
                    awaitingWritable = false;
                    turns.want();
                });
            }
            return false;
        }
        return window.get() > 0 || stopped != null;
    }

    /** A reader of the rest of the range. The end of the range is fixed at the first call. */
    private ReadState.Reading opened() throws TatamiException {
        if (state instanceof ReadState.Reading reading) {
            return reading;
        }
        while (true) {
            VolumeSet.Found found = context.volumes().require(block(), generation);
            try {
                return open(found);
            } catch (TatamiException e) {
                if (!context.volumes().hasLeft(block(), found.volume(), e)) {
                    throw e;
                }
            }
        }
    }

    private ReadState.Reading open(VolumeSet.Found found) throws TatamiException {
        long endOffset = state instanceof ReadState.Parked parked
                ? parked.endOffset()
                : state instanceof ReadState.Starved starved ? starved.endOffset() : endOffset(found);
        long offset = request.getOffset() + sentBytes;
        BlockReader reader = delivery.open(found, generation, offset, endOffset - offset);
        ReadState.Reading reading = new ReadState.Reading(reader, endOffset, found.volume());
        state = reading;
        CrashPoint.hit("service.read.after-open");
        return reading;
    }

    private long endOffset(VolumeSet.Found found) throws TatamiException {
        long visible = found.stored().visibleBytes();
        if (request.getOffset() < 0 || request.getOffset() > visible || request.getLength() < 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    request.getLength() + " bytes at " + request.getOffset() + " of " + block() + ", which has "
                            + visible + " visible bytes");
        }
        return request.getOffset() + Math.min(request.getLength(), visible - request.getOffset());
    }

    private boolean nextUnit() throws TatamiException {
        ReadUnit next;
        try {
            next = nextOfVolume();
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.BUSY || !delivery.isStuck()) {
                throw e;
            }
            LOG.warn("{} goes on without shared memory, as a device holds all that its reader shares", block(), e);
            park();
            delivery.close();
            delivery = otherDelivery.get();
            next = nextOfVolume();
        }
        if (next == null) {
            return false;
        }
        delivery.load(next);
        return true;
    }

    /** Goes on at the block's new place where it has gone to another volume meanwhile. */
    private @Nullable ReadUnit nextOfVolume() throws TatamiException {
        while (true) {
            ReadState.Reading reading = opened();
            try {
                return reading.reader().next();
            } catch (TatamiException e) {
                if (!context.volumes().hasLeft(block(), reading.volume(), e)) {
                    throw e;
                }
                park();
            }
        }
    }

    private void sendFrame() {
        UnitDelivery.Sent sent = delivery.send(window.get());
        sentBytes += sent.bytes();
        movedNanos = context.nowNanos();
        window.addAndGet(-sent.cost());
        if (request.getBackground()) {
            streams.copied(sent.bytes());
        }
        context.metrics().read(sent.bytes(), sent.origin());
        if (counted != null) {
            counted.add(sent.bytes(), sent.origin() == ReadUnit.Origin.STAGED);
        }
    }

    private void fail(TatamiException failure) {
        if (!isOver()) {
            end();
            context.failed(failure);
            stream.failure(failure);
        }
    }

    private void end() {
        park();
        state = new ReadState.Over();
        delivery.close();
        if (counted != null) {
            counted.close();
        }
        streams.ended(this);
    }

    private boolean isOver() {
        return state instanceof ReadState.Over;
    }

    private void starve() {
        park();
        streams.ranShort();
        if (state instanceof ReadState.Parked parked) {
            state = new ReadState.Starved(parked.endOffset());
        }
    }

    /** Gives back the buffers of bytes that were not sent. */
    private void park() {
        delivery.park();
        if (state instanceof ReadState.Reading reading) {
            reading.reader().close();
            state = new ReadState.Parked(reading.endOffset());
        }
    }

    private BlockId block() {
        return new BlockId(request.getBlockId());
    }
}
