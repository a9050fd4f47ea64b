package io.tatami.block.service.context;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * How many bytes a second the making of copies takes of this server: those received by pulls and those sent to
 * background readers together. A token bucket that may go below zero: bytes are counted once they were moved, and then
 * nobody goes on until they are paid for. Safe for use by many threads.
 */
public final class CopyRate {
    /** How often {@link #tick} is to be called. */
    public static final long TICK_MILLIS = 20;

    /** What was not used for so long may be used at once. */
    private static final long BURST_MILLIS = 100;

    private final Clock clock;
    private final long ownBytesPerSecond;
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    /** 0 for no limit. */
    private long bytesPerSecond;

    private long filledNanos;
    private double balanceBytes;

    /** @param bytesPerSecond as long as nobody says otherwise; 0 for no limit */
    public CopyRate(Clock clock, long bytesPerSecond) {
        Check.check(bytesPerSecond >= 0, "a rate of %d bytes/s", bytesPerSecond);
        this.clock = clock;
        this.ownBytesPerSecond = bytesPerSecond;
        this.bytesPerSecond = bytesPerSecond;
        this.filledNanos = clock.monotonicNanos();
        this.balanceBytes = burstBytes();
    }

    /**
     * @param told as {@code HeartbeatReply.copy_bytes_per_second}: 0 for the server's own rate, below 0 for no limit
     */
    public synchronized void set(long told) {
        long wanted = told == 0 ? ownBytesPerSecond : Math.max(0, told);
        if (wanted != bytesPerSecond) {
            fill();
            bytesPerSecond = wanted;
            balanceBytes = Math.min(balanceBytes, burstBytes());
            notifyAll();
        }
    }

    /** The limit now; 0 for none. */
    public synchronized long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** These were moved. */
    public synchronized void spend(long bytes) {
        fill();
        balanceBytes -= bytes;
    }

    /** Whether more may be moved now; where not, {@code whenPaid} is called by a later {@link #tick}, once. */
    public synchronized boolean mayGoOn(Runnable whenPaid) {
        if (isPaid()) {
            return true;
        }
        waiting.add(whenPaid);
        return false;
    }

    /** Waits until more may be moved, or {@code ended}; an interrupt ends the wait and is kept for later. */
    public synchronized void await(BooleanSupplier ended) {
        try {
            while (!isPaid() && !ended.getAsBoolean()) {
                wait(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets those go on that wait, where all is paid for. */
    public void tick() {
        List<Runnable> paid;
        synchronized (this) {
            if (waiting.isEmpty() || !isPaid()) {
                return;
            }
            paid = new ArrayList<>(waiting);
            waiting.clear();
        }
        paid.forEach(Runnable::run);
    }

    private boolean isPaid() {
        fill();
        return bytesPerSecond == 0 || balanceBytes > 0;
    }

    private void fill() {
        long now = clock.monotonicNanos();
        double earned = (double) bytesPerSecond * (now - filledNanos) / TimeUnit.SECONDS.toNanos(1);
        filledNanos = now;
        balanceBytes = bytesPerSecond == 0 ? 0 : Math.min(burstBytes(), balanceBytes + earned);
    }

    private double burstBytes() {
        return bytesPerSecond * BURST_MILLIS / 1000.0;
    }
}
