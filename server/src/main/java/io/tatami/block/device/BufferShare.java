package io.tatami.block.device;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What one reader or writer holds of a pool. Who holds any may hold as many as all would if they held equally many; who
 * holds none may always have one. Safe for use by many threads.
 */
public final class BufferShare {
    private final AlignedBufferPool pool;
    private final AtomicInteger held = new AtomicInteger();

    BufferShare(AlignedBufferPool pool) {
        this.pool = pool;
    }

    /** {@link AlignedBufferPool#acquire}; the buffer counts until it is released, by whomever. */
    public @Nullable AlignedBuffer acquire(long limitMillis) {
        return pool.acquire(limitMillis, this);
    }

    /** {@link AlignedBufferPool#tryAcquire}, within the share and behind those who wait for their first. */
    public @Nullable AlignedBuffer tryAcquire() {
        return held.get() < size() && !pool.isWaitedFor() ? pool.tryAcquire(this) : null;
    }

    /**
     * A free buffer, whatever is held already.
     *
     * @param wake called once when there is one, where there is none now and null is returned; it must not wait
     */
    public @Nullable AlignedBuffer acquireOr(Runnable wake) {
        AlignedBuffer buffer = pool.tryAcquire(this);
        if (buffer == null) {
            pool.whenFree(wake);
        }
        return buffer;
    }

    /** How many may be held now, at least one: fewer when others come, and more when they have gone. */
    public int size() {
        return Math.max(1, pool.buffers() / Math.max(1, pool.holders()));
    }

    void acquired() {
        if (held.getAndIncrement() == 0) {
            pool.holderCame();
        }
    }

    void released() {
        if (held.decrementAndGet() == 0) {
            pool.holderWent();
        }
    }
}
