package io.tatami.block.device;

import io.tatami.base.Check;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of aligned buffers of one size, cut from slabs that are allocated when the pool is made; none is ever
 * added, and the memory goes back to the system when the pool and its buffers are garbage. Waiting callers are served in
 * the order in which they came. Safe for use by many threads.
 */
public final class AlignedBufferPool {
    private static final long SLAB_BYTES_MAX = 64L << 20;

    private final int bufferBytes;
    private final int buffers;
    private final Semaphore available;
    private final Deque<AlignedBuffer> free;

    /**
     * @param bufferBytes the size of each buffer, a multiple of {@link Device#ALIGNMENT_BYTES} up to 64 MiB
     * @param buffers how many there are, at least 1
     */
    public AlignedBufferPool(int bufferBytes, int buffers) {
        Check.check(
                bufferBytes > 0 && bufferBytes % Device.ALIGNMENT_BYTES == 0 && bufferBytes <= SLAB_BYTES_MAX,
                "buffers of %d bytes",
                bufferBytes);
        Check.check(buffers > 0, "a pool of %d buffers", buffers);
        this.bufferBytes = bufferBytes;
        this.buffers = buffers;
        this.available = new Semaphore(buffers, true);
        this.free = new ArrayDeque<>(buffers);
        int perSlab = (int) (SLAB_BYTES_MAX / bufferBytes);
        for (int made = 0; made < buffers; made += perSlab) {
            addSlab(Math.min(perSlab, buffers - made));
        }
    }

    /**
     * A pool over memory of the caller's.
     *
     * @param memory direct and aligned; cut into buffers from its start to its capacity
     */
    public AlignedBufferPool(int bufferBytes, ByteBuffer memory) {
        this.bufferBytes = bufferBytes;
        this.buffers = memory.capacity() / bufferBytes;
        Check.check(buffers > 0 && memory.alignmentOffset(0, Device.ALIGNMENT_BYTES) == 0, "memory for no buffer");
        this.available = new Semaphore(buffers, true);
        this.free = new ArrayDeque<>(buffers);
        cut(memory, buffers);
    }

    public int bufferBytes() {
        return bufferBytes;
    }

    /** How many buffers there are, free or not. */
    public int buffers() {
        return buffers;
    }

    /** How many buffers nobody holds at this moment. */
    public int freeBuffers() {
        return available.availablePermits();
    }

    /** A free buffer, or null where there is none now; goes ahead of those who wait. */
    public @Nullable AlignedBuffer tryAcquire() {
        return available.tryAcquire() ? take() : null;
    }

    /** A free buffer, or null where none became free within {@code limitMillis}; an interrupt is kept for later. */
    public @Nullable AlignedBuffer acquire(long limitMillis) {
        boolean interrupted = false;
        long remainingNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
        long endNanos = System.nanoTime() + remainingNanos;
        try {
            while (true) {
                try {
                    return available.tryAcquire(remainingNanos, TimeUnit.NANOSECONDS) ? take() : null;
                } catch (InterruptedException e) {
                    interrupted = true;
                    remainingNanos = endNanos - System.nanoTime();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void giveBack(AlignedBuffer buffer) {
        synchronized (free) {
            free.push(buffer);
        }
        available.release();
    }

    private AlignedBuffer take() {
        AlignedBuffer buffer;
        synchronized (free) {
            buffer = free.pop();
        }
        buffer.markAcquired();
        return buffer;
    }

    private void addSlab(int count) {
        cut(
                ByteBuffer.allocateDirect(count * bufferBytes + Device.ALIGNMENT_BYTES)
                        .alignedSlice(Device.ALIGNMENT_BYTES),
                count);
    }

    private void cut(ByteBuffer slab, int count) {
        for (int i = 0; i < count; i++) {
            free.add(new AlignedBuffer(this, free.size(), slab.slice(i * bufferBytes, bufferBytes)));
        }
    }
}
