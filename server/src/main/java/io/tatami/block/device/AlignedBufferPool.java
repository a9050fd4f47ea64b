package io.tatami.block.device;

import io.tatami.base.Check;
import io.tatami.base.WaitLimit;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aligned buffers of one size, up to a fixed number, cut from slabs. The first slab is allocated when the pool is made,
 * the others when they are needed, and the memory goes back to the system when the pool and its buffers are garbage.
 * Where the process may have no more direct memory the pool goes on with what it has. Waiting callers are served in the
 * order in which they came. Safe for use by many threads.
 */
public final class AlignedBufferPool {
    private static final Logger LOG = LoggerFactory.getLogger(AlignedBufferPool.class);
    private static final int SLAB_BYTES = 16 << 20;

    /** What part of the buffers one owner may hold. */
    private static final int OWNER_PART = 2;

    private final int bufferBytes;
    private final Semaphore available;
    private final AtomicInteger holders = new AtomicInteger();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final OwnerLimit owners = new OwnerLimit();

    /** Guards itself and {@link #made}. */
    private final Deque<AlignedBuffer> free = new ArrayDeque<>();

    private int made;
    private volatile int buffers;

    /**
     * @param bufferBytes the size of each buffer, a multiple of {@link Device#ALIGNMENT_BYTES} up to 16 MiB
     * @param buffers how many there are, at least 1
     */
    public AlignedBufferPool(int bufferBytes, int buffers) {
        Check.check(
                bufferBytes > 0 && bufferBytes % Device.ALIGNMENT_BYTES == 0 && bufferBytes <= SLAB_BYTES,
                "buffers of %d bytes",
                bufferBytes);
        Check.check(buffers > 0, "a pool of %d buffers", buffers);
        this.bufferBytes = bufferBytes;
        this.buffers = buffers;
        this.available = new Semaphore(buffers, true);
        synchronized (free) {
            addSlab();
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
        synchronized (free) {
            cut(memory, buffers);
        }
    }

    public int bufferBytes() {
        return bufferBytes;
    }

    /** How many buffers there are, free or not, or will be when they are needed. */
    public int buffers() {
        return buffers;
    }

    /** How many buffers nobody holds at this moment. */
    public int freeBuffers() {
        return available.availablePermits();
    }

    /** What a new reader or writer will hold of this. */
    public BufferShare share() {
        return new BufferShare(this, null);
    }

    /**
     * {@link #share()} of one of several readers that have an owner in common, such as a connection. What they hold
     * together is half of the buffers at most, but always one.
     */
    public BufferShare share(String owner) {
        return new BufferShare(this, owner);
    }

    OwnerLimit owners() {
        return owners;
    }

    int ownerMost() {
        return Math.max(1, buffers / OWNER_PART);
    }

    /** A free buffer, or null where there is none now; goes ahead of those who wait. */
    public @Nullable AlignedBuffer tryAcquire() {
        return tryAcquire(null);
    }

    @Nullable
    AlignedBuffer tryAcquire(@Nullable BufferShare share) {
        AlignedBuffer taken = null;
        while (taken == null && available.tryAcquire()) {
            taken = take(share);
        }
        return taken;
    }

    /** A free buffer, or null where none became free within {@code limitMillis}; an interrupt is kept for later. */
    public @Nullable AlignedBuffer acquire(long limitMillis) {
        return acquire(limitMillis, null);
    }

    @Nullable
    AlignedBuffer acquire(long limitMillis, @Nullable BufferShare share) {
        boolean interrupted = false;
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        AlignedBuffer taken = null;
        boolean inTime = true;
        while (taken == null && inTime) {
            try {
                inTime = available.tryAcquire(limit.leftNanos(), TimeUnit.NANOSECONDS);
                taken = inTime ? take(share) : null;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return taken;
    }

    /** Has {@code wake} called once, by whoever gives a buffer back, or at once where one is free. It must not wait. */
    void whenFree(Runnable wake) {
        waiting.add(wake);
        if (freeBuffers() > 0) {
            wakeAll();
        }
    }

    /** Whether somebody waits for a buffer that another gives back. */
    public boolean isWaitedFor() {
        return !waiting.isEmpty();
    }

    /** All, for one who has gone meanwhile takes no buffer; the others come again in their order. */
    private void wakeAll() {
        for (Runnable wake = waiting.poll(); wake != null; wake = waiting.poll()) {
            wake.run();
        }
    }

    /** How many shares there are of which something is held. */
    int holders() {
        return holders.get();
    }

    void holderCame() {
        holders.incrementAndGet();
    }

    void holderWent() {
        holders.decrementAndGet();
    }

    void giveBack(AlignedBuffer buffer) {
        synchronized (free) {
            free.push(buffer);
        }
        available.release();
        wakeAll();
    }

    /** Null where the buffer cannot be made: then there is one fewer from now on. */
    private @Nullable AlignedBuffer take(@Nullable BufferShare share) {
        AlignedBuffer buffer;
        synchronized (free) {
            if (free.isEmpty() && made < buffers) {
                growOrShrink();
            }
            buffer = free.poll();
        }
        if (buffer != null) {
            buffer.markAcquired(share);
            if (share != null) {
                share.acquired();
            }
        }
        return buffer;
    }

    private void growOrShrink() {
        try {
            addSlab();
        } catch (OutOfMemoryError e) {
            LOG.warn(
                    "only {} of {} buffers of {} bytes fit into this process's direct memory: start it with"
                            + " TATAMI_OPTS=-XX:MaxDirectMemorySize=... of more, or set tatami.block.buffers to less",
                    made,
                    buffers,
                    bufferBytes,
                    e);
            buffers = made;
        }
    }

    /** In large pages, where a slab is as large as one. */
    private void addSlab() {
        int count = Math.min(SLAB_BYTES / bufferBytes, buffers - made);
        int bytes = count * bufferBytes;
        int alignment = bytes >= HugePages.BYTES ? HugePages.BYTES : Device.ALIGNMENT_BYTES;
        ByteBuffer slab = alignedMemory(bytes, alignment);
        HugePages.collapse(slab);
        cut(slab, count);
    }

    private static ByteBuffer alignedMemory(int bytes, int alignment) {
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes + alignment);
        return memory.slice(Math.floorMod(-memory.alignmentOffset(0, alignment), alignment), bytes);
    }

    private void cut(ByteBuffer slab, int count) {
        for (int i = 0; i < count; i++) {
            free.add(new AlignedBuffer(this, made + i, slab.slice(i * bufferBytes, bufferBytes)));
        }
        made += count;
    }
}
