package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
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

/**
 * The frames of one write stream that are on their way, and how far the servers are. The writer's thread adds and
 * waits, the event loop acknowledges; a lock guards all of it.
 */
final class WriteWindow implements StreamListener<WriteAck, WriteBlockReply> {
    private final int windowBytes;
    private final long timeoutMillis;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<PendingFrame> frames = new ArrayDeque<>();
    private long frameBytes;
    private long visibleLength;
    private long durableLength;
    private long acks;
    private long roomBytes = Long.MAX_VALUE;
    private @Nullable WriteBlockReply reply;
    private @Nullable TatamiException failure;

    WriteWindow(long startOffset, BlockClientSettings settings) {
        this.windowBytes = settings.windowBytes();
        this.timeoutMillis = settings.timeoutMillis();
        this.visibleLength = startOffset;
        this.durableLength = startOffset;
    }

    /** Waits until a frame of {@code bytes} may be added; one always may when none is on its way. */
    void awaitRoom(int bytes) throws TatamiException {
        await(() -> frameBytes == 0 || frameBytes + bytes <= windowBytes);
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
        await(() -> acks > 0);
    }

    boolean isReady() {
        lock.lock();
        try {
            return acks > 0;
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

    void awaitVisible(long length) throws TatamiException {
        await(() -> visibleLength >= length);
    }

    void awaitDurable(long length) throws TatamiException {
        await(() -> durableLength >= length);
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

    /** Ends the stream from this side; the first failure stays. */
    void fail(TatamiException reason) {
        lock.lock();
        try {
            if (failure == null && reply == null) {
                failure = reason;
            }
            changed.signalAll();
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
            acks++;
            roomBytes = ack.getRoomBytes() == 0 ? Long.MAX_VALUE : ack.getRoomBytes();
            visibleLength = Math.max(visibleLength, ack.getVisibleLength());
            durableLength = Math.max(durableLength, ack.getDurableLength());
            while (!frames.isEmpty() && frames.element().endOffset() <= visibleLength) {
                PendingFrame done = frames.remove();
                frameBytes -= done.lengthBytes();
                done.release();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFinished(WriteBlockReply finished) {
        lock.lock();
        try {
            reply = finished;
            changed.signalAll();
        } finally {
            lock.unlock();
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
            long acksSeen = acks;
            long nanosLeft = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            while (failure == null && !condition.getAsBoolean()) {
                if (acks != acksSeen) {
                    acksSeen = acks;
                    nanosLeft = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
                }
                if (nanosLeft <= 0) {
                    failure = new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED, "no acknowledgement in " + timeoutMillis + " ms");
                } else {
                    nanosLeft = changed.awaitNanos(nanosLeft);
                }
            }
            if (failure != null) {
                throw failure.again();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for block servers", e);
        } finally {
            lock.unlock();
        }
    }
}
