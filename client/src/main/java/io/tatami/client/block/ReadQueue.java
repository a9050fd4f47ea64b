package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
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
    /** A server tells several times in this that the reader is queued; it is believed for so long. */
    static final long QUEUED_NANOS = TimeUnit.SECONDS.toNanos(1);

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

    /** How often the server told that the reader is queued. */
    private int queuedSigns;

    /** When it did last; null if it has sent bytes since. */
    private @Nullable Long queuedNanos;

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

    /** Whether the server told lately that the reader is queued, and has sent nothing since. */
    boolean isQueued() {
        lock.lock();
        try {
            Long since = queuedNanos;
            return since != null && isWaiting() && clock.monotonicNanos() - since < QUEUED_NANOS;
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
     * The timeout begins anew whenever the server tells that the reader is queued,
     * {@value BlockReadStream#TIMEOUTS_MAX} in all.
     */
    @Nullable
    Arrived take() throws TatamiException {
        lock.lock();
        try {
            long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            long beginNanos = clock.monotonicNanos();
            WaitLimit limit = WaitLimit.ofNanos(clock, BlockReadStream.TIMEOUTS_MAX * timeoutNanos);
            long nanosLeft = timeoutNanos;
            while (isWaiting()) {
                if (nanosLeft <= 0) {
                    throw new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED,
                            "the block server sent no data of the block for "
                                    + TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - beginNanos) + " ms");
                }
                int signs = queuedSigns;
                nanosLeft = clock.await(lock, changed, () -> !isWaiting() || signs != queuedSigns, nanosLeft);
                if (signs != queuedSigns) {
                    nanosLeft = Math.min(timeoutNanos, limit.leftNanos());
                }
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
        if (frame.getQueued()) {
            payload.release();
            queued();
            return;
        }
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

    private void queued() {
        lock.lock();
        try {
            queuedSigns++;
            queuedNanos = clock.monotonicNanos();
            tell();
        } finally {
            lock.unlock();
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
                queuedNanos = null;
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
