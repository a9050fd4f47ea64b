package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.rpc.StreamListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one read stream that have arrived and were not read. The event loop adds, the reader takes; a lock
 * guards all of it. Bounded by the window that the reader moves on.
 */
final class ReadQueue implements StreamListener<ReadFrame, ReadBlockReply> {
    private final Clock clock;
    private final long timeoutMillis;
    private final @Nullable SharedRegion shared;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Arrived> frames = new ArrayDeque<>();
    private long nextOffset;
    private boolean finished;
    private boolean closed;
    private @Nullable TatamiException failure;

    /** Told of every change; must not block. */
    private @Nullable Runnable listener;

    /** A frame whose payload the holder must release; not yet verified. */
    record Arrived(ReadFrame frame, ByteBuf payload) {}

    /** @param shared where the server may put bytes; null for nowhere */
    ReadQueue(long startOffset, long timeoutMillis, @Nullable SharedRegion shared, Clock clock) {
        this.clock = clock;
        this.nextOffset = startOffset;
        this.timeoutMillis = timeoutMillis;
        this.shared = shared;
    }

    /** The next frame without waiting, or null. */
    @Nullable
    Arrived poll() {
        lock.lock();
        try {
            return frames.poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until {@link #take} would not wait, {@code nanos} at most.
     *
     * @return whether it would not
     */
    boolean await(long nanos) throws TatamiException {
        lock.lock();
        try {
            long nanosLeft = nanos;
            while (isWaiting()) {
                if (nanosLeft <= 0) {
                    return false;
                }
                nanosLeft = clock.await(lock, changed, () -> !isWaiting(), nanosLeft);
            }
            return true;
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
    }

    /** Whether there is a frame. Throws the failure of a stream that has none, NO_SUCH_BLOCK after its end. */
    boolean hasArrived() throws TatamiException {
        lock.lock();
        try {
            if (frames.isEmpty() && failure != null) {
                throw failure.again();
            }
            if (frames.isEmpty() && finished) {
                throw new TatamiException(ErrorCode.NO_SUCH_BLOCK, "the copy ends before these bytes");
            }
            return !frames.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Has {@code callback} called at every change from now on. */
    void onProgress(Runnable callback) {
        lock.lock();
        try {
            listener = callback;
            callback.run();
        } finally {
            lock.unlock();
        }
    }

    private boolean isWaiting() {
        return frames.isEmpty() && !finished && failure == null;
    }

    private static TatamiException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for data of the block", e);
    }

    /** Under the lock. */
    private void tell() {
        changed.signalAll();
        if (listener != null) {
            listener.run();
        }
    }

    /**
     * Waits for the next frame, or gives null at the end of the range. What arrived before a failure comes before it.
     */
    @Nullable
    Arrived take() throws TatamiException {
        lock.lock();
        try {
            long nanosLeft = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            while (isWaiting()) {
                if (nanosLeft <= 0) {
                    throw new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED,
                            "the block server sent no data of the block for " + timeoutMillis + " ms");
                }
                nanosLeft = clock.await(lock, changed, () -> !isWaiting(), nanosLeft);
            }
            if (frames.isEmpty() && failure != null) {
                throw failure.again();
            }
            return frames.poll();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
    }

    /** Releases what has arrived and whatever still does. Returns whether the stream is still open. */
    boolean close() {
        lock.lock();
        try {
            closed = true;
            frames.forEach(arrived -> arrived.payload().release());
            frames.clear();
            return !finished && failure == null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onMessage(ReadFrame frame, ByteBuf payload) {
        if (shared == null || !frame.hasSharedUnit()) {
            arrived(frame, payload);
            return;
        }
        payload.release();
        try {
            arrived(frame, shared.bytes(frame));
        } catch (TatamiException e) {
            onFailed(e);
        }
    }

    private void arrived(ReadFrame frame, ByteBuf payload) {
        lock.lock();
        try {
            int length = payload.readableBytes();
            if (closed || failure != null) {
                payload.release();
            } else if (frame.getOffset() != nextOffset
                    || length == 0
                    || frame.getChecksumCount() != ChunkChecksum.pieces(nextOffset, length)) {
                payload.release();
                failure = new TatamiException(
                        ErrorCode.MALFORMED,
                        "a frame of " + length + " bytes at " + frame.getOffset() + ", not at " + nextOffset);
            } else {
                nextOffset += length;
                frames.add(new Arrived(frame, payload));
            }
            tell();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFinished(ReadBlockReply reply) {
        lock.lock();
        try {
            finished = true;
            tell();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFailed(TatamiException reason) {
        lock.lock();
        try {
            if (failure == null) {
                failure = reason;
            }
            tell();
        } finally {
            lock.unlock();
        }
    }
}
