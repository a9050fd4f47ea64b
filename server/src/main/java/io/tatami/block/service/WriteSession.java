package io.tatami.block.service;

import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockWriter;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One write stream: verifies and stores frames, forwards them to the server behind, and acknowledges towards the writer
 * what is stored from here to the tail.
 *
 * <p>All state is owned by the session's worker, a {@link SerialExecutor}, but for the count of bytes that wait for it.
 * A frame is stored before it is forwarded, so that a corrupt one is blamed on the hop where it went bad. A frame that
 * asks for a flush holds back the ones after it until the servers behind have its bytes in memory: flushing makes bytes
 * visible, and no reader may see here what could still be lost behind.
 */
final class WriteSession implements StreamReceiver<WriteFrame>, ChainLink.Owner {
    private final WriteBlockRequest request;
    private final BlockId block;
    private final @Nullable WrittenMemory memory;
    private final ServerStream<WriteAck, WriteBlockReply> stream;
    private final DataPort port;
    private final SerialExecutor worker;

    private final ReceiveWindow window;

    private final Deque<ArrivedFrame> heldBack = new ArrayDeque<>();
    private @Nullable BlockWriter writer;
    private @Nullable ChainLink chain;
    private boolean chainReady;
    private boolean chainFinished;
    private long chainVisible;
    private long chainDurable;
    private long chainFlushed;
    private long roomBytes;
    private long sequence;
    private long received;
    private long durable;

    /** Up to where the bytes survive the end of this process; at least {@link #durable}. */
    private long flushed;

    private @Nullable WriteFrame flushWanted;

    /** Up to where the writer has asked for bytes to be durable. */
    private long syncAsked;

    /** Up to where the writer has asked for bytes to be flushed at least. */
    private long flushAsked;

    private boolean finished;
    private boolean ended;
    private long heardNanos;
    private long chainHeardNanos;

    /** @param memory where frames may say that their bytes are; null for nowhere */
    WriteSession(
            WriteBlockRequest request,
            @Nullable WrittenMemory memory,
            ServerStream<WriteAck, WriteBlockReply> stream,
            DataPort port,
            SerialExecutor worker) {
        this.request = request;
        this.block = new BlockId(request.getBlockId());
        this.memory = memory;
        this.stream = stream;
        this.port = port;
        this.worker = worker;
        this.window = new ReceiveWindow(request, memory != null && request.getTargetCount() == 0);
        this.heardNanos = port.clock().monotonicNanos();
        this.chainHeardNanos = heardNanos;
    }

    BlockId block() {
        return block;
    }

    long generation() {
        return request.getGeneration();
    }

    /** Begins; called once, before any message is delivered. */
    void start() {
        worker.execute(() -> guarded(this::open));
    }

    @Override
    public void onMessage(WriteFrame frame, ByteBuf payload) {
        ArrivedFrame arrived = new ArrivedFrame(frame, payload, memory);
        int bytes = arrived.windowBytes();
        if (!window.admits(bytes)) {
            payload.release();
            window.done(bytes);
            stop(new TatamiException(
                    ErrorCode.MALFORMED, "the writer of " + block + " sent more than its window of bytes or frames"));
            return;
        }
        worker.execute(() -> {
            heldBack.add(arrived);
            guarded(this::arrive);
            if (ended) {
                releaseHeldBack();
            }
        });
    }

    @Override
    public void onCancelled(TatamiException reason) {
        stop(reason);
    }

    /** Ends the session from outside, because another writer or a recovery has taken the block over. */
    void fence(String reason) {
        stop(new TatamiException(ErrorCode.FENCED, block + ": " + reason));
    }

    /** Ends the session from outside; the block keeps what it has. */
    void stop(TatamiException reason) {
        worker.execute(() -> end(reason));
    }

    /**
     * Looks after a session that stands still: its buffer is given back, and it ends when the writer, or the server
     * behind, has been silent for too long.
     */
    void checkStandstill() {
        worker.execute(() -> guarded(() -> {
            BlockServerSettings settings = port.settings();
            long now = port.clock().monotonicNanos();
            if (isOver(now - heardNanos, settings.writerIdleMillis())) {
                throw new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the writer of " + block + " was idle too long");
            }
            if (chain != null && chainOwes() && isOver(now - chainHeardNanos, settings.chainSilenceMillis())) {
                throw chain.silence();
            }
            if (chain != null && chainOwes()) {
                tellThatChainIsAwaited();
            }
            if (isOver(now - heardNanos, settings.parkMillis())) {
                park();
                if (writer != null && !finished && window.rest()) {
                    acknowledge();
                }
            }
        }));
    }

    /** The silence is not this server's: who waits for it looks for the fault farther back. */
    private void tellThatChainIsAwaited() throws TatamiException {
        if (chainReady) {
            acknowledge();
        } else if (request.getWindowed()) {
            stream.send(WriteAck.newBuilder()
                    .setOpening(true)
                    .setSendLimit(window.limitAfter(behind().sentOffset()))
                    .build());
        }
    }

    private static boolean isOver(long nanos, long limitMillis) {
        return nanos > TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    /**
     * Flushing gives the volume's buffer back, and leaves no byte of a slow writer to the mercy of the power supply.
     */
    private void park() throws TatamiException {
        boolean visibleBehind = chain == null || chainVisible >= received;
        if (writer != null && !finished && flushWanted == null && durable < received && visibleBehind) {
            durable = writer.sync();
            flushed = durable;
            acknowledge();
        }
    }

    private void open() throws TatamiException {
        BlockWriter opened = port.openWriter(this, request);
        writer = opened;
        received = opened.lengthBytes();
        roomBytes = opened.capacityBytes();
        window.opened(port.receiveBudget(this));
        durable = request.getStartOffset();
        flushed = durable;
        Check.check(received == request.getStartOffset(), "%s begins at %d", block, received);
        CrashPoint.hit("service.write.after-open");
        port.began(this);
        if (request.getTargetCount() == 0) {
            // What has come meanwhile is acknowledged next, and with it this.
            if (!request.getOnlyCopy() || !window.isWaiting()) {
                acknowledge();
            }
        } else {
            chainVisible = received;
            chainDurable = received;
            chainFlushed = received;
            syncAsked = received;
            flushAsked = received;
            chain = ChainLink.open(port.chainClient(), request, port.settings().chainSilenceMillis(), worker, this);
            tellThatChainIsAwaited();
        }
    }

    private void arrive() throws TatamiException {
        heardNanos = port.clock().monotonicNanos();
        takeHeldBack();
    }

    private void takeHeldBack() throws TatamiException {
        while (!ended && flushWanted == null && !heldBack.isEmpty()) {
            ArrivedFrame next = heldBack.remove();
            try {
                store(next);
            } finally {
                releaseArrived(next);
            }
            flushIfReady();
            acknowledge();
        }
    }

    private void store(ArrivedFrame arrived) throws TatamiException {
        WriteFrame frame = arrived.frame();
        int length = arrived.lengthBytes();
        if (finished || frame.getSequence() != sequence + 1 || frame.getOffset() != received) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "frame " + frame.getSequence() + " at " + frame.getOffset() + " of " + block + " after frame "
                            + sequence + ", which ended at " + received);
        }
        if (length > BlockPayload.BYTES_MAX || frame.getChecksumCount() != ChunkChecksum.pieces(received, length)) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "a frame of " + length + " bytes with " + frame.getChecksumCount() + " checksums for " + block);
        }
        if (chain == null) {
            append(arrived);
        } else {
            appendAndForward(arrived.withPayload(), chain);
        }
        if (frame.getSync() || frame.getLast()) {
            flushWanted = frame;
            flushAsked = received;
            syncAsked = isFlushOnly(frame) ? syncAsked : received;
        }
    }

    private static boolean isFlushOnly(WriteFrame frame) {
        return frame.getFlushOnly() && !frame.getLast();
    }

    /** Flushes once the servers behind have the bytes in memory; they flush meanwhile. */
    private void flushIfReady() throws TatamiException {
        WriteFrame frame = flushWanted;
        if (frame == null || (chain != null && chainVisible < received)) {
            return;
        }
        // A server before this one flushes meanwhile; a writer that waits for the end, or for a flush that does not
        // reach the device, is told once.
        if (!request.getOnlyCopy() || !(frame.getLast() || isFlushOnly(frame))) {
            acknowledge();
        }
        CrashPoint.hit("service.write.before-flush");
        if (isFlushOnly(frame)) {
            durable = Math.max(durable, opened().flush());
        } else {
            durable = frame.getLast() ? opened().finish() : opened().sync();
            port.metrics().synced();
        }
        flushed = received;
        CrashPoint.hit("service.write.after-flush");
        finished = frame.getLast();
        flushWanted = null;
    }

    /**
     * Tells the writer how far the servers from here to the tail are; where the block has ended, by the end of the
     * stream.
     *
     * @throws TatamiException FENCED or NO_SUCH_BLOCK where the block was taken over or deleted: nothing is
     *     acknowledged
     */
    private void acknowledge() throws TatamiException {
        if (chain != null && !chainReady) {
            return;
        }
        if (finished && (chain == null || chainFinished)) {
            ended = true;
            // What comes behind the last frame is nobody's.
            releaseHeldBack();
            window.close();
            port.ended(this);
            CrashPoint.hit("service.write.before-end");
            stream.success(WriteBlockReply.newBuilder().setLength(received).build());
            return;
        }
        long visible = chain == null ? received : Math.min(received, chainVisible);
        if (!finished) {
            opened().makeVisible(visible);
        }
        CrashPoint.hit("service.write.before-ack");
        stream.send(WriteAck.newBuilder()
                .setSequence(sequence)
                .setVisibleLength(visible)
                .setDurableLength(chain == null ? durable : Math.min(durable, chainDurable))
                .setFlushedLength(chain == null ? flushed : Math.min(flushed, chainFlushed))
                .setRoomBytes(roomBytes)
                .setSendLimit(window.limitAfter(chain == null ? received : chain.sentOffset()))
                .build());
    }

    @Override
    public void onChainAck(WriteAck ack) {
        guarded(() -> {
            chainHeardNanos = port.clock().monotonicNanos();
            behind().acknowledged(ack);
            if (ack.getOpening()) {
                return;
            }
            chainReady = true;
            chainVisible = Math.max(chainVisible, ack.getVisibleLength());
            chainDurable = Math.max(chainDurable, ack.getDurableLength());
            chainFlushed = Math.max(chainFlushed, Math.max(ack.getFlushedLength(), chainDurable));
            roomBytes = ack.getRoomBytes() == 0 ? roomBytes : Math.min(roomBytes, ack.getRoomBytes());
            flushIfReady();
            acknowledge();
            takeHeldBack();
        });
    }

    @Override
    public void onChainWritable() {
        guarded(() -> {
            behind().send();
            acknowledge();
        });
    }

    @Override
    public void onChainFinished(WriteBlockReply reply) {
        guarded(() -> {
            if (reply.getLength() != received) {
                throw new TatamiException(
                        ErrorCode.INTERNAL,
                        block + " ended at " + reply.getLength() + " behind, and at " + received + " here");
            }
            chainVisible = received;
            chainDurable = received;
            chainFlushed = received;
            chainFinished = true;
            flushIfReady();
            acknowledge();
        });
    }

    @Override
    public void onChainFailed(TatamiException failure) {
        end(failure);
    }

    private boolean chainOwes() {
        return chain != null
                && (!chainReady
                        || chainVisible < received
                        || chainDurable < syncAsked
                        || chainFlushed < flushAsked
                        || flushWanted != null
                        || (finished && !chainFinished));
    }

    private void append(ArrivedFrame arrived) throws TatamiException {
        WriteFrame frame = arrived.frame();
        int length = arrived.lengthBytes();
        int[] checksums = new int[frame.getChecksumCount()];
        for (int piece = 0; piece < checksums.length; piece++) {
            checksums[piece] = frame.getChecksum(piece);
        }
        opened().append(arrived.bytes(), checksums);
        CrashPoint.hit("service.write.after-append");
        sequence = frame.getSequence();
        received += length;
        window.stored(length, heardNanos);
        port.metrics().written(length);
    }

    /** @param arrived with its bytes as payload; used up */
    private void appendAndForward(ArrivedFrame arrived, ChainLink behind) throws TatamiException {
        boolean owed = chainOwes();
        ByteBuf forwarded;
        try {
            append(arrived);
            // The network moves the indices of what it writes.
            forwarded = arrived.payload().retainedDuplicate();
        } finally {
            arrived.payload().release();
        }
        if (!owed) {
            chainHeardNanos = heardNanos;
        }
        behind.forwardAndRelease(arrived.frame(), forwarded);
        CrashPoint.hit("service.write.after-forward");
    }

    private ChainLink behind() {
        if (chain == null) {
            throw new IllegalStateException(block + " has no server behind");
        }
        return chain;
    }

    private BlockWriter opened() {
        if (writer == null) {
            throw new IllegalStateException(block + " is not open");
        }
        return writer;
    }

    private void releaseArrived(ArrivedFrame arrived) {
        window.done(arrived.windowBytes());
        arrived.payload().release();
    }

    private void releaseHeldBack() {
        while (!heldBack.isEmpty()) {
            releaseArrived(heldBack.remove());
        }
    }

    /** The stream is over; the block keeps what it has, for readers and for whoever goes on with it. */
    private void end(TatamiException failure) {
        if (ended) {
            return;
        }
        ended = true;
        releaseHeldBack();
        window.close();
        if (writer != null && !finished) {
            letGo(writer, failure);
        }
        if (chain != null) {
            chain.cancel(String.valueOf(failure.getMessage()));
        }
        port.ended(this);
        port.failed(failure);
        stream.failure(failure instanceof ChainFailure ? failure : port.ownFailure(failure));
    }

    /**
     * What readers saw does not depend on this process any more: the bytes are made durable, unless somebody else has
     * the right to write by now. A block of which nothing came is forgotten, so that it can be begun again.
     */
    private void letGo(BlockWriter opened, TatamiException failure) {
        try {
            if (received > 0) {
                CrashPoint.hit("service.write.before-let-go");
                opened.persist();
                opened.close();
            } else {
                opened.abort();
            }
        } catch (TatamiException e) {
            // A block that failed fails again in the same way.
            if (e != failure) {
                failure.addSuppressed(e);
            }
            opened.close();
        }
    }

    private interface Step {
        void run() throws TatamiException;
    }

    /** Runs a step unless the session has ended; what it throws ends it. */
    private void guarded(Step step) {
        if (ended) {
            return;
        }
        try {
            step.run();
        } catch (TatamiException e) {
            end(e);
        } catch (RuntimeException e) {
            end(new TatamiException(ErrorCode.INTERNAL, "writing " + block + ": " + e, e));
        }
    }
}
