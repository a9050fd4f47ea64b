package io.tatami.block.service.write;

import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.ServerContext;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.ServerStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The steps of a write session, one for each event. All methods are called on the session's worker, which owns the
 * {@link WriteState}; a failure ends the session by {@link #end}. A frame is stored before it is forwarded, so that a
 * corrupt frame is blamed on the hop where it went bad.
 */
final class WriteSteps {
    private final WriteSession session;
    private final WriteBlockRequest request;
    private final BlockId block;
    private final ServerStream<WriteAck, WriteBlockReply> stream;
    private final ServerContext context;
    private final WriteStreams streams;
    private final ReceiveWindow window;

    private WriteState state = new WriteState.Opening();

    /** Frames that have arrived and are not stored yet, bounded by the window. */
    private final Deque<ArrivedFrame> waiting = new ArrayDeque<>();

    /** When the writer sent its last frame, and when it sent more than an empty one. */
    private long heardNanos;

    private long movedNanos;

    /** Whether nothing is to be done before {@link #restEndNanos} unless something comes; read by any thread. */
    private volatile boolean resting;

    private long restEndNanos;

    WriteSteps(
            WriteSession session,
            WriteBlockRequest request,
            ServerStream<WriteAck, WriteBlockReply> stream,
            ServerContext context,
            WriteStreams streams,
            ReceiveWindow window) {
        this.session = session;
        this.request = request;
        this.block = new BlockId(request.getBlockId());
        this.stream = stream;
        this.context = context;
        this.streams = streams;
        this.window = window;
        this.heardNanos = context.nowNanos();
        this.movedNanos = heardNanos;
    }

    boolean isEnded() {
        return state instanceof WriteState.Ended;
    }

    /** Opens the block's writer, and the stream to the next server. */
    void open(Executor worker) throws TatamiException {
        WriteStreams.OpenedWriter opened = streams.openWriter(session, request);
        OpenCopy copy = new OpenCopy(opened.writer());
        try {
            window.opened(opened.budget());
            Check.check(copy.lengthBytes() == request.getStartOffset(), "%s begins at %d", block, copy.lengthBytes());
            CrashPoint.hit("service.write.after-open");
            streams.began(session);
            state = new WriteState.Streaming(copy, downstream(worker));
        } catch (TatamiException | RuntimeException e) {
            copy.letGo(e);
            throw e;
        }
        if (state instanceof WriteState.Established open && open.downstream() instanceof NextServer next) {
            tellThatChainIsAwaited(next);
        } else if (!request.getOnlyCopy() || !window.isWaiting()) {
            // Frames that came meanwhile are acknowledged next, and the opening with them.
            acknowledge();
        }
    }

    private Downstream downstream(Executor worker) throws TatamiException {
        if (request.getTargetCount() == 0) {
            return ChainTail.TAIL;
        }
        return new NextServer(streams.openLink(request, worker, session), request.getStartOffset(), heardNanos);
    }

    /** Takes a frame; owns its payload from now on. */
    void arrive(ArrivedFrame arrived) throws TatamiException {
        resting = false;
        if (arrived.frame().getMemoryReturned()) {
            window.unshared();
        }
        waiting.add(arrived);
        heardNanos = context.nowNanos();
        if (!arrived.isEmpty()) {
            movedNanos = heardNanos;
        }
        takeWaiting();
    }

    private void takeWaiting() throws TatamiException {
        while (state instanceof WriteState.Streaming open && !waiting.isEmpty()) {
            ArrivedFrame next = waiting.remove();
            try {
                store(next, open);
            } finally {
                releaseArrived(next);
            }
            flushIfReady();
            acknowledge();
        }
        if (state instanceof WriteState.Finishing finishing && !waiting.isEmpty()) {
            throw finishing.copy().outOfOrder(block, waiting.element().frame());
        }
    }

    private void store(ArrivedFrame arrived, WriteState.Streaming open) throws TatamiException {
        OpenCopy copy = open.copy();
        copy.requireNext(arrived);
        if (open.downstream() instanceof NextServer next) {
            appendAndForward(arrived.withPayload(), copy, next);
        } else {
            append(arrived, copy);
        }
        WriteFrame frame = arrived.frame();
        if (frame.getSync() || frame.getLast()) {
            state = new WriteState.Flushing(open, frame);
        }
    }

    private void append(ArrivedFrame arrived, OpenCopy copy) throws TatamiException {
        int length = arrived.lengthBytes();
        copy.append(arrived);
        if (!arrived.isEmpty()) {
            window.stored(length, heardNanos);
        }
        context.metrics().written(length);
    }

    /** @param arrived with its bytes as payload; used up */
    private void appendAndForward(ArrivedFrame arrived, OpenCopy copy, NextServer next) throws TatamiException {
        ByteBuf forwarded;
        try {
            append(arrived, copy);
            // The network moves the indices of a buffer that it writes.
            forwarded = arrived.payload().retainedDuplicate();
        } finally {
            arrived.payload().release();
        }
        next.forwardAndRelease(arrived.frame(), forwarded, copy.lengthBytes(), heardNanos);
        CrashPoint.hit("service.write.after-forward");
    }

    private static boolean isFlushOnly(WriteFrame frame) {
        return frame.getFlushOnly() && !frame.getLast();
    }

    /** Flushes when the servers behind have the bytes in memory. They flush at the same time. */
    private void flushIfReady() throws TatamiException {
        if (!(state instanceof WriteState.Flushing flushing) || !isInMemoryBehind(flushing)) {
            return;
        }
        WriteFrame frame = flushing.frame();
        OpenCopy copy = flushing.copy();
        // A server before this one flushes meanwhile. A writer that waits for the end, or for a flush that does not
        // reach the device, is answered once.
        if (!request.getOnlyCopy() || !(frame.getLast() || isFlushOnly(frame))) {
            acknowledge();
        }
        CrashPoint.hit("service.write.before-flush");
        if (frame.getLast()) {
            state = new WriteState.Finishing(copy.finish(), flushing.downstream());
        } else if (isFlushOnly(frame)) {
            copy.flush();
            state = flushing.streaming();
        } else {
            copy.sync();
            state = flushing.streaming();
        }
        CrashPoint.hit("service.write.after-flush");
    }

    /**
     * Acknowledges to the sender how far the servers from here to the tail are. After the end of the block, ends the
     * stream.
     *
     * @throws TatamiException FENCED or NO_SUCH_BLOCK if the block was taken over or deleted: nothing is acknowledged
     */
    private void acknowledge() throws TatamiException {
        if (!(state instanceof WriteState.Established open)
                || !open.downstream().isReady()) {
            return;
        }
        if (open instanceof WriteState.Finishing && open.downstream().isFinished()) {
            succeed(open.copy().lengthBytes());
            return;
        }
        WrittenCopy copy = open.copy();
        Downstream behind = open.downstream();
        long visibleBytes = behind.visibleBytes(copy.lengthBytes());
        if (open instanceof WriteState.Writing writing) {
            writing.copy().makeVisible(visibleBytes);
        }
        CrashPoint.hit("service.write.before-ack");
        stream.send(WriteAck.newBuilder()
                .setSequence(copy.sequence())
                .setVisibleLength(visibleBytes)
                .setDurableLength(behind.durableBytes(copy.durableBytes()))
                .setFlushedLength(behind.flushedBytes(copy.flushedBytes()))
                .setRoomBytes(behind.roomBytes(copy.roomBytes()))
                .setSendLimit(window.limitAfter(behind.passedOnBytes(copy.lengthBytes())))
                .build());
    }

    /** The next server has acknowledged bytes, or shown that it is alive. */
    void chainAcknowledged(WriteAck ack) throws TatamiException {
        if (next().acknowledged(ack, context.nowNanos())) {
            flushIfReady();
            acknowledge();
            takeWaiting();
        }
    }

    /** The network takes more bytes for the next server. */
    void chainIsWritable() throws TatamiException {
        next().send();
        acknowledge();
    }

    /** The next server has finalized the block. */
    void chainFinished(WriteBlockReply reply) throws TatamiException {
        NextServer next = next();
        long lengthBytes = established().copy().lengthBytes();
        if (reply.getLength() != lengthBytes) {
            throw new TatamiException(
                    ErrorCode.INTERNAL,
                    block + " has " + reply.getLength() + " bytes on the next block server, and " + lengthBytes
                            + " on this one");
        }
        next.finished(lengthBytes);
        flushIfReady();
        acknowledge();
    }

    private WriteState.Established established() {
        if (state instanceof WriteState.Established open) {
            return open;
        }
        throw new IllegalStateException(block + " is not open");
    }

    private NextServer next() {
        if (established().downstream() instanceof NextServer next) {
            return next;
        }
        throw new IllegalStateException(block + " has no server behind");
    }

    /**
     * Whether {@link #lookAtStandstill} would do nothing, as it has found before. May be called by any thread:
     * thousands of writers that rest are looked at by one, and take none of their own.
     */
    boolean isResting(long nowNanos) {
        return resting && nowNanos - restEndNanos < 0;
    }

    /** Parks a session that stands still; ends it if the writer or the next server was silent for too long. */
    void lookAtStandstill() throws TatamiException {
        BlockServerSettings settings = context.settings();
        long now = context.nowNanos();
        if (isOver(now - heardNanos, settings.writerIdleMillis())) {
            throw new TatamiException(
                    ErrorCode.DEADLINE_EXCEEDED, "the writer of " + block + " sent nothing for too long");
        }
        if (state instanceof WriteState.Established open
                && open.downstream() instanceof NextServer next
                && next.owes()) {
            next.requireHeard(now, settings.chainSilenceMillis());
            tellThatChainIsAwaited(next);
        }
        if (isOver(now - movedNanos, settings.parkMillis())) {
            park();
            if (state instanceof WriteState.Writing && window.rest()) {
                acknowledge();
            }
            restEndNanos = heardNanos + TimeUnit.MILLISECONDS.toNanos(settings.writerIdleMillis());
            resting = waiting.isEmpty() && isParked();
        }
    }

    /** Whether all bytes are durable, and nothing is awaited of the next server. */
    private boolean isParked() {
        return state instanceof WriteState.Streaming open
                && open.copy().durableBytes() == open.copy().lengthBytes()
                && !(open.downstream() instanceof NextServer next && next.owes());
    }

    private static boolean isOver(long nanos, long limitMillis) {
        return nanos > TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    /** Tells the server or writer before this one that the silence is of a server farther back. */
    private void tellThatChainIsAwaited(NextServer next) throws TatamiException {
        if (next.isReady()) {
            acknowledge();
        } else if (request.getWindowed()) {
            stream.send(WriteAck.newBuilder()
                    .setOpening(true)
                    .setSendLimit(window.limitAfter(next.passedOnBytes(request.getStartOffset())))
                    .build());
        }
    }

    /** Flushes, which gives the volume's buffer back and makes the bytes of a slow writer durable. */
    private void park() throws TatamiException {
        if (state instanceof WriteState.Streaming open
                && open.copy().durableBytes() < open.copy().lengthBytes()
                && isInMemoryBehind(open)) {
            open.copy().sync();
            acknowledge();
        }
    }

    private static boolean isInMemoryBehind(WriteState.Writing open) {
        long hereBytes = open.copy().lengthBytes();
        return open.downstream().visibleBytes(hereBytes) == hereBytes;
    }

    /** Ends the stream before its end; the block keeps its bytes, for readers and for the next writer. */
    void end(TatamiException failure) {
        if (isEnded()) {
            return;
        }
        WriteState last = state;
        state = new WriteState.Ended();
        giveBackMemory();
        if (last instanceof WriteState.Writing writing) {
            writing.copy().letGo(failure);
        }
        if (last instanceof WriteState.Established open) {
            open.downstream().cancel(String.valueOf(failure.getMessage()));
        }
        streams.ended(session);
        context.failed(failure);
        stream.failure(context.ownFailure(failure));
    }

    private void succeed(long lengthBytes) {
        state = new WriteState.Ended();
        giveBackMemory();
        streams.ended(session);
        CrashPoint.hit("service.write.before-end");
        stream.success(WriteBlockReply.newBuilder().setLength(lengthBytes).build());
    }

    /** Gives back the window, and frames that were not stored. */
    private void giveBackMemory() {
        while (!waiting.isEmpty()) {
            releaseArrived(waiting.remove());
        }
        window.close();
    }

    /** Gives back the memory of a frame that was stored or is refused. */
    void releaseArrived(ArrivedFrame arrived) {
        window.done(arrived.windowBytes());
        arrived.payload().release();
    }
}
