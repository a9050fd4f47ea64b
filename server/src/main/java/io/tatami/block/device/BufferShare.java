package io.tatami.block.device;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What one reader or writer holds of a pool. Who holds any may hold as many as all would if they held equally many; who
 * holds none may always have one, within what its owner may hold. Safe for use by many threads.
 */
public final class BufferShare {
    private final AlignedBufferPool pool;
    private final @Nullable String owner;
    private final AtomicInteger held = new AtomicInteger();

    BufferShare(AlignedBufferPool pool, @Nullable String owner) {
        this.pool = pool;
        this.owner = owner;
    }

    /**
     * {@link AlignedBufferPool#acquire}; the buffer counts until it is released, by whomever. Whatever the owner holds
     * already.
     */
    public @Nullable AlignedBuffer acquire(long limitMillis) {
        if (owner != null) {
            pool.owners().add(owner);
        }
        return counted(pool.acquire(limitMillis, this));
    }

    /** {@link AlignedBufferPool#tryAcquire}, within the share and behind those who wait for their first. */
    public @Nullable AlignedBuffer tryAcquire() {
        if (held.get() >= size() || pool.isWaitedFor() || !ownerMayHoldMore()) {
            return null;
        }
        return counted(pool.tryAcquire(this));
    }

    /**
     * A free buffer, whatever is held already by this share, within what the owner may hold.
     *
     * @param wake called once when there is one, where there is none now and null is returned; it must not wait
     */
    public @Nullable AlignedBuffer acquireOr(Runnable wake) {
        if (!ownerMayHoldMore()) {
            pool.owners().whenBelow(String.valueOf(owner), pool.ownerMost(), wake);
            return null;
        }
        AlignedBuffer buffer = counted(pool.tryAcquire(this));
        if (buffer == null) {
            pool.whenFree(wake);
        }
        return buffer;
    }

    /** How many may be held now, at least one: fewer when others come, and more when they have gone. */
    public int size() {
        return Math.max(1, pool.buffers() / Math.max(1, pool.holders()));
    }

    /** Counts one for the owner, where it may have it. */
    private boolean ownerMayHoldMore() {
        return owner == null || pool.owners().tryAdd(owner, pool.ownerMost());
    }

    /** Takes back what was counted for the owner, where there is no buffer. */
    private @Nullable AlignedBuffer counted(@Nullable AlignedBuffer buffer) {
        if (buffer == null && owner != null) {
            pool.owners().remove(owner);
        }
        return buffer;
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

    /** The buffer is in the pool again. */
    void returned() {
        if (owner != null) {
            pool.owners().remove(owner);
        }
    }
}
