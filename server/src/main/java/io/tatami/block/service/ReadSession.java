package io.tatami.block.service;

import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadCredit;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read stream. It runs in turns on the reader threads of its volume: a turn sends while there is credit and the
 * network takes more, up to {@link BlockServerSettings#readTurnBytes}, and then waits behind its other readers for the
 * next. Whoever runs the turn owns the state; credits and cancellation come from the event loop and are atomic or
 * volatile.
 */
final class ReadSession implements StreamReceiver<ReadCredit> {
    private static final Logger LOG = LoggerFactory.getLogger(ReadSession.class);
    private static final long UNKNOWN = -1;

    private final ReadBlockRequest request;
    private final ServerStream<ReadFrame, ReadBlockReply> stream;
    private final DataPort port;
    private final Executor readers;
    private final Supplier<UnitDelivery> otherDelivery;
    private volatile UnitDelivery delivery;

    private final AtomicLong credit;
    private final AtomicInteger wanted = new AtomicInteger();
    private volatile @Nullable TatamiException stopped;

    private volatile long movedNanos;
    private volatile boolean parkWanted;
    private volatile boolean awaitingWritable;

    /** There was no memory for a frame; asks again now and then, and holds nothing meanwhile. */
    private volatile boolean starved;

    private @Nullable BlockReader reader;
    private long endOffset = UNKNOWN;
    private boolean ended;
    private long sentBytes;
    private ReadUnit.Origin origin = ReadUnit.Origin.VOLUME;

    /**
     * @param delivery owned by the new object
     * @param otherDelivery makes one that is never stuck, for when this one is
     */
    ReadSession(
            ReadBlockRequest request,
            ServerStream<ReadFrame, ReadBlockReply> stream,
            UnitDelivery delivery,
            Supplier<UnitDelivery> otherDelivery,
            DataPort port,
            Executor readers) {
        this.request = request;
        this.stream = stream;
        this.port = port;
        this.readers = readers;
        this.delivery = delivery;
        this.otherDelivery = otherDelivery;
        this.credit = new AtomicLong(delivery.firstCredit(request));
        this.movedNanos = port.clock().monotonicNanos();
    }

    @Override
    public void onMessage(ReadCredit more, ByteBuf payload) {
        payload.release();
        long bytes = delivery.credit(more);
        if (bytes > 0 && credit.getAndAdd(bytes) <= 0) {
            wantTurn();
        }
    }

    @Override
    public void onCancelled(TatamiException reason) {
        stop(reason);
    }

    /** Ends the session from outside. */
    void stop(TatamiException reason) {
        stopped = reason;
        wantTurn();
    }

    /** Has the session give its buffers back if it stands still; it opens its reader again when it moves. */
    void checkStandstill() {
        if (starved) {
            starved = false;
            wantTurn();
        }
        long stillNanos = port.clock().monotonicNanos() - movedNanos;
        if (stillNanos > TimeUnit.MILLISECONDS.toNanos(port.settings().parkMillis())) {
            parkWanted = true;
            wantTurn();
        }
    }

    /** Asks for a turn; while one is waiting or running, for one more look after it. */
    void wantTurn() {
        if (wanted.getAndIncrement() == 0) {
            readers.execute(this::turn);
        }
    }

    private void turn() {
        int seen = wanted.get();
        boolean again = false;
        try {
            again = !ended && runTurn();
        } catch (TatamiException e) {
            fail(e);
        } catch (RuntimeException e) {
            fail(new TatamiException(ErrorCode.INTERNAL, "reading " + block() + ": " + e, e));
        }
        if (again) {
            readers.execute(this::turn);
        } else if (wanted.addAndGet(-seen) > 0) {
            readers.execute(this::turn);
        }
    }

    /** Returns whether there is more to send at once. */
    private boolean runTurn() throws TatamiException {
        TatamiException reason = stopped;
        if (reason != null) {
            throw reason;
        }
        if (parkWanted) {
            parkWanted = false;
            movedNanos = port.clock().monotonicNanos();
            giveBuffersBack();
        }
        if (credit.get() <= 0 || !stream.isWritable()) {
            return awaitRoom();
        }
        long turnEnd = sentBytes + port.settings().readTurnBytes();
        while (credit.get() > 0 && stream.isWritable() && sentBytes < turnEnd && stopped == null) {
            if (!delivery.hasMore() && !opened().hasBuffer(this::wantTurn)) {
                return false;
            }
            if (!delivery.hasMore() && !nextUnit()) {
                end();
                CrashPoint.hit("service.read.before-end");
                stream.success(ReadBlockReply.newBuilder().setLength(sentBytes).build());
                return false;
            }
            if (!delivery.canSend()) {
                starved = true;
                port.ranShort();
                giveBuffersBack();
                return false;
            }
            sendFrame();
        }
        return awaitRoom();
    }

    /** Returns whether another turn can be used at once; if not, one will be wanted when it can. */
    private boolean awaitRoom() {
        if (credit.get() > 0 && !stream.isWritable()) {
            if (!awaitingWritable) {
                awaitingWritable = true;
                stream.whenWritable(() -> {
                    awaitingWritable = false;
                    wantTurn();
                });
            }
            return false;
        }
        return credit.get() > 0 || stopped != null;
    }

    /** A reader of what is left. What it may see is decided when the stream begins. */
    private BlockReader opened() throws TatamiException {
        if (reader != null) {
            return reader;
        }
        VolumeSet.Found found = port.volumes().require(block(), request.getGeneration());
        if (endOffset == UNKNOWN) {
            long visible = found.stored().visibleBytes();
            if (request.getOffset() < 0 || request.getOffset() > visible || request.getLength() < 0) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        request.getLength() + " bytes at " + request.getOffset() + " of " + block() + ", which has "
                                + visible);
            }
            endOffset = request.getOffset() + Math.min(request.getLength(), visible - request.getOffset());
        }
        long offset = request.getOffset() + sentBytes;
        BlockReader opened = delivery.open(found, request, offset, endOffset - offset);
        reader = opened;
        CrashPoint.hit("service.read.after-open");
        return opened;
    }

    private boolean nextUnit() throws TatamiException {
        ReadUnit next;
        try {
            next = opened().next();
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.BUSY || !delivery.isStuck()) {
                throw e;
            }
            LOG.warn("{} goes on without shared memory, as a device holds all that its reader shares", block(), e);
            giveBuffersBack();
            delivery.close();
            delivery = otherDelivery.get();
            next = opened().next();
        }
        if (next == null) {
            return false;
        }
        origin = next.origin();
        delivery.load(next);
        return true;
    }

    private void sendFrame() {
        UnitDelivery.Sent sent = delivery.send(credit.get());
        sentBytes += sent.bytes();
        movedNanos = port.clock().monotonicNanos();
        credit.addAndGet(-sent.cost());
        port.metrics().read(sent.bytes(), origin);
    }

    private void fail(TatamiException failure) {
        if (!ended) {
            end();
            port.failed(failure);
            stream.failure(failure);
        }
    }

    private void end() {
        ended = true;
        giveBuffersBack();
        delivery.close();
        port.ended(this);
    }

    private void giveBuffersBack() {
        delivery.park();
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }

    private BlockId block() {
        return new BlockId(request.getBlockId());
    }
}
