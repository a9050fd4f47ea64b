package io.tatami.block.service.write;

import io.tatami.base.MemoryBudget;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteBlockRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How far the sender of one write stream may send: what bounds the memory that the stream takes here, so that nothing
 * that holds it up makes others wait.
 *
 * <p>Each stream is sure of {@link BlockPayload#OPENING_BYTES} at its start and of
 * {@link BlockPayload#GUARANTEED_BYTES} from then on. What it gets beyond that, up to 8 MiB, follows what it sent of
 * late, comes out of its volume's budget, and goes back when the stream rests. A limit that is told may be lower than
 * one before; the sender is held to the highest, as the two may have crossed.
 *
 * <p>{@link #admits} is for the event loop, {@link #done} for any thread, all else for the session's worker.
 */
final class ReceiveWindow {
    private static final long STREAMING_BYTES = 8 << 20;
    private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** One is sent for each MiB, or for each flush, which waits for the one before. */
    static final int FRAMES_MAX = 1024;

    private final boolean isTold;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicInteger waitingFrames = new AtomicInteger();
    private volatile long limit;

    // The event loop's.
    private long arrivedEnd;

    // The worker's.
    private boolean isSharing;
    private @Nullable MemoryBudget budget;
    private long charged;
    private long latelyBytes;
    private long latelyNanos;
    private boolean resting;

    /**
     * @param isSharing whether the sender's bytes lie in memory that it shares, and go nowhere from here: they take
     *     none of this server's
     */
    ReceiveWindow(WriteBlockRequest request, boolean isSharing) {
        this.isTold = request.getWindowed();
        this.isSharing = isSharing;
        this.arrivedEnd = request.getStartOffset();
        this.limit = arrivedEnd + BlockPayload.OPENING_BYTES;
    }

    /** Counts what has come; false where it is more than may come, and must not be kept. */
    boolean admits(int bytes) {
        arrivedEnd += bytes;
        long waiting = waitingBytes.addAndGet(bytes);
        boolean within =
                isTold ? arrivedEnd <= limit : waiting <= BlockPayload.WINDOW_BYTES_MAX + BlockPayload.BYTES_MAX;
        return waitingFrames.incrementAndGet() <= FRAMES_MAX && within;
    }

    /** What had come is stored, or was dropped. */
    void done(int bytes) {
        waitingBytes.addAndGet(-bytes);
        waitingFrames.decrementAndGet();
    }

    boolean isWaiting() {
        return waitingFrames.get() > 0;
    }

    /** The sender's bytes come by the connection from here on, and take memory of this server. */
    void unshared() {
        isSharing = false;
    }

    /** The stream's volume is known now. */
    void opened(MemoryBudget ofVolume) {
        budget = ofVolume;
    }

    /** Bytes were stored. */
    void stored(int bytes, long nowNanos) {
        resting = false;
        if (nowNanos - latelyNanos > LATELY_NANOS) {
            latelyBytes /= 2;
            latelyNanos = nowNanos;
        }
        latelyBytes += bytes;
    }

    /** The stream stands still; true where its sender must be told that it may send less. */
    boolean rest() {
        resting = true;
        latelyBytes = 0;
        return charged > 0;
    }

    /**
     * What to tell the sender.
     *
     * @param processed up to where bytes are out of this server's hands: stored, and sent on where there is somebody
     */
    long limitAfter(long processed) {
        long ahead = isSharing ? BlockPayload.WINDOW_BYTES_MAX : BlockPayload.GUARANTEED_BYTES + charge();
        long told = processed + ahead;
        limit = Math.max(limit, told);
        return told;
    }

    private long charge() {
        MemoryBudget from = budget;
        if (from == null) {
            return 0;
        }
        long target = Math.max(BlockPayload.OPENING_BYTES, Math.min(STREAMING_BYTES, latelyBytes));
        long wanted = resting ? 0 : target - BlockPayload.GUARANTEED_BYTES;
        if (wanted > charged) {
            charged += from.take(wanted - charged);
        } else {
            from.giveBack(charged - wanted);
            charged = wanted;
        }
        return charged;
    }

    /** Gives all back. */
    void close() {
        if (budget != null) {
            budget.giveBack(charged);
            charged = 0;
            budget = null;
        }
    }
}
