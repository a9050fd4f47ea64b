package io.tatami.block.device;

import io.tatami.base.Check;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A unit of direct memory, aligned as a {@link Device} asks, that belongs to a pool. Whoever acquired it owns it until
 * {@link #release()}; a second release is a bug and is caught.
 */
public final class AlignedBuffer {
    private final AlignedBufferPool pool;
    private final int number;
    private final ByteBuffer memory;
    private final AtomicBoolean acquired = new AtomicBoolean();
    private @Nullable BufferShare share;

    AlignedBuffer(AlignedBufferPool pool, int number, ByteBuffer memory) {
        this.pool = pool;
        this.number = number;
        this.memory = memory;
    }

    /** Of this buffer in its pool, in the order of their memory; the first is 0. */
    public int number() {
        return number;
    }

    /** All of the memory. The view's position and limit are shared by all callers: set them before each use. */
    public ByteBuffer memory() {
        return memory;
    }

    /** A new view of the bytes from {@code start} to {@code end}, with a position and limit of its own. */
    public ByteBuffer range(int start, int end) {
        return memory.duplicate().limit(end).position(start);
    }

    /** Whether less than a quarter of the pool is free. */
    public boolean isScarce() {
        return pool.freeBuffers() * 4L < pool.buffers();
    }

    /** Gives the memory back to its pool; any thread may call it, once. */
    public void release() {
        Check.check(acquired.compareAndSet(true, false), "a buffer was released twice");
        BufferShare by = share;
        share = null;
        if (by != null) {
            by.released();
        }
        pool.giveBack(this);
        if (by != null) {
            by.returned();
        }
    }

    void markAcquired(@Nullable BufferShare by) {
        Check.check(acquired.compareAndSet(false, true), "a buffer was handed out twice");
        share = by;
    }
}
