package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.PendingFlush;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.rpc.StreamListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames of one write stream that are on their way, and how far the servers are. The writer's thread adds and
 * waits, the event loop acknowledges; a lock guards all of it.
 */
final class WriteWindow implements StreamListener<WriteAck, WriteBlockReply> {
    private static final Logger LOG = LoggerFactory.getLogger(WriteWindow.class);

    private final Clock clock;
    private final int windowBytes;
    private final long timeoutMillis;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<PendingFrame> frames = new ArrayDeque<>();
    private long frameBytes;
    private long visibleLength;
    private long durableLength;
    private long flushedLength;
    private boolean isAccepted;
    private long roomBytes = Long.MAX_VALUE;

    /** Up to where the first server takes bytes now. */
    private long sendLimit;

    /** When somebody began to wait, or heard of the servers since. */
    private long heardNanos;

    /** Whether the servers owe an answer to an empty frame, and since when. */
    private boolean isAnswerDue;

    private long answerDueNanos;

    // Of the thread that looks whether the stream rests.
    private long stillSequence = -1;
    private long stillSinceNanos;

    /** What the writer waits for, and each thread that waits for a flush. */
    private final List<BooleanSupplier> awaited = new ArrayList<>();

    private @Nullable WriteBlockReply reply;
    private @Nullable TatamiException failure;

    WriteWindow(long startOffset, BlockClientSettings settings, Clock clock) {
        this.clock = clock;
        this.windowBytes = settings.windowBytes();
        this.timeoutMillis = settings.timeoutMillis();
        this.visibleLength = startOffset;
        this.durableLength = startOffset;
        this.flushedLength = startOffset;
        this.sendLimit = startOffset + BlockPayload.OPENING_BYTES;
    }

    /**
     * Waits until a frame of {@code bytes} may be sent, or a part of one while none is on its way: then no
     * acknowledgement comes that could make more room.
     *
     * @param position where it begins
     * @return how many of the bytes may be sent, at least 1
     */
    int awaitRoom(long position, int bytes) throws TatamiException {
        await(() -> roomAt(position) >= bytes || (frameBytes == 0 && roomAt(position) > 0));
        lock.lock();
        try {
            return (int) Math.max(1, Math.min(bytes, roomAt(position)));
        } finally {
            lock.unlock();
        }
    }

    /** Of the own window and the server's; under the lock. */
    private long roomAt(long position) {
        return Math.min(windowBytes - frameBytes, sendLimit - position);
    }

    /** Takes the frame; it is released when it is acknowledged. Empty ones are not kept. */
    void add(PendingFrame frame) {
        lock.lock();
        try {
            if (frame.lengthBytes() == 0) {
                frame.release();
            } else {
                frames.add(frame);
                frameBytes += frame.lengthBytes();
            }
        } finally {
            lock.unlock();
        }
    }

    void awaitReady() throws TatamiException {
        await(() -> isAccepted);
    }

    boolean isReady() {
        lock.lock();
        try {
            return isAccepted;
        } finally {
            lock.unlock();
        }
    }

    /** What the block has room for; without limit before {@link #isReady}, and where the servers do not tell it. */
    long roomBytes() {
        lock.lock();
        try {
            return roomBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the bytes survive the end of the servers' processes, and are visible. */
    void awaitFlushed(long length) throws TatamiException {
        await(() -> flushedLength >= length && visibleLength >= length);
    }

    void awaitDurable(long length) throws TatamiException {
        await(() -> durableLength >= length);
    }

    /** For any thread: waits until bytes are flushed, and answers false where the stream failed before. */
    PendingFlush pendingFlush(long length, boolean durably) {
        return () -> {
            try {
                if (durably) {
                    awaitDurable(length);
                } else {
                    awaitFlushed(length);
                }
                return true;
            } catch (TatamiException e) {
                LOG.debug("up to {} may not be flushed", length, e);
                return false;
            }
        };
    }

    long awaitFinished() throws TatamiException {
        await(() -> reply != null);
        return reply == null ? 0 : reply.getLength();
    }

    long visibleLength() {
        lock.lock();
        try {
            return visibleLength;
        } finally {
            lock.unlock();
        }
    }

    long durableLength() {
        lock.lock();
        try {
            return durableLength;
        } finally {
            lock.unlock();
        }
    }

    boolean isFinished() {
        lock.lock();
        try {
            return reply != null;
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    TatamiException failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    /**
     * For how long nothing was sent, counted from the first of these questions that found it so.
     *
     * @param sequence of the last frame that was sent
     */
    long stillNanos(long sequence) {
        long nowNanos = clock.monotonicNanos();
        if (sequence != stillSequence) {
            stillSequence = sequence;
            stillSinceNanos = nowNanos;
        }
        return nowNanos - stillSinceNanos;
    }

    /** Whether the servers have all that was sent, so that the first of them reads nothing more of it. */
    boolean isAcknowledged() {
        lock.lock();
        try {
            return frames.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * False where an empty frame was not answered in time: the stream has failed.
     *
     * @param isSent whether one is sent now
     */
    boolean expectAnswer(boolean isSent) {
        lock.lock();
        try {
            long nowNanos = clock.monotonicNanos();
            if (!isAnswerDue) {
                isAnswerDue = isSent;
                answerDueNanos = nowNanos;
            } else if (nowNanos - answerDueNanos > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
                fail(new TatamiException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "the first block server did not answer an empty frame for " + timeoutMillis + " ms"));
            }
            return failure == null;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the stream from this side; the first failure stays. */
    void fail(TatamiException reason) {
        lock.lock();
        try {
            if (failure == null && reply == null) {
                failure = reason;
            }
            wake();
        } finally {
            lock.unlock();
        }
    }

    /** The frames that were not acknowledged, in order; the caller owns them. */
    List<PendingFrame> takeFrames() {
        lock.lock();
        try {
            List<PendingFrame> taken = new ArrayList<>(frames);
            frames.clear();
            frameBytes = 0;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onMessage(WriteAck ack, ByteBuf payload) {
        payload.release();
        lock.lock();
        try {
            if (failure != null) {
                // What is not acknowledged by then is sent again elsewhere.
                return;
            }
            isAnswerDue = false;
            if (ack.getOpening()) {
                heardNanos = clock.monotonicNanos();
                sendLimit = ack.getSendLimit();
                wake();
                return;
            }
            heard();
            sendLimit = ack.getSendLimit() == 0 ? Long.MAX_VALUE : ack.getSendLimit();
            roomBytes = ack.getRoomBytes() == 0 ? Long.MAX_VALUE : ack.getRoomBytes();
            reached(ack.getVisibleLength(), ack.getDurableLength(), ack.getFlushedLength());
            wake();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFinished(WriteBlockReply finished) {
        lock.lock();
        try {
            if (failure != null) {
                return;
            }
            heard();
            reply = finished;
            reached(finished.getLength(), finished.getLength(), finished.getLength());
            wake();
        } finally {
            lock.unlock();
        }
    }

    private void heard() {
        isAccepted = true;
        heardNanos = clock.monotonicNanos();
    }

    private void reached(long visible, long durable, long flushed) {
        visibleLength = Math.max(visibleLength, visible);
        durableLength = Math.max(durableLength, durable);
        flushedLength = Math.max(flushedLength, Math.max(flushed, durableLength));
        while (!frames.isEmpty() && frames.element().endOffset() <= visibleLength) {
            PendingFrame done = frames.remove();
            frameBytes -= done.lengthBytes();
            done.release();
        }
    }

    /** Wakes those who wait for this; to be woken by each acknowledgement would cost more than the rest. */
    private void wake() {
        for (BooleanSupplier condition : awaited) {
            if (failure != null || condition.getAsBoolean()) {
                changed.signalAll();
                return;
            }
        }
    }

    @Override
    public void onFailed(TatamiException reason) {
        fail(reason);
    }

    /** Waits for {@code condition}, for as long as acknowledgements arrive. */
    private void await(BooleanSupplier condition) throws TatamiException {
        lock.lock();
        try {
            if (awaited.isEmpty()) {
                heardNanos = clock.monotonicNanos();
            }
            awaited.add(condition);
            while (failure == null && !condition.getAsBoolean()) {
                long silentNanos = clock.monotonicNanos() - heardNanos;
                long nanosLeft = TimeUnit.MILLISECONDS.toNanos(timeoutMillis) - silentNanos;
                if (nanosLeft > 0) {
                    long unused =
                            clock.await(lock, changed, () -> failure != null || condition.getAsBoolean(), nanosLeft);
                } else {
                    failure = new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED,
                            "the block servers acknowledged nothing for " + timeoutMillis + " ms");
                    changed.signalAll();
                }
            }
            if (failure != null) {
                throw failure.again();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for block servers", e);
        } finally {
            awaited.remove(condition);
            lock.unlock();
        }
    }
}
