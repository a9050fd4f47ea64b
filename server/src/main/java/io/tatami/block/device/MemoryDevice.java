package io.tatami.block.device;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A device in this process's direct memory, all of it taken when it is made. A flush does nothing; a close frees
 * nothing.
 */
public final class MemoryDevice implements Device {
    private static final int SLAB_BYTES = 64 << 20;

    private final long sizeBytes;
    private final List<ByteBuffer> slabs = new ArrayList<>();

    /**
     * @param sizeBytes a multiple of {@link #ALIGNMENT_BYTES}
     * @throws TatamiException NO_SPACE where this process may not have so much direct memory
     */
    public MemoryDevice(long sizeBytes) throws TatamiException {
        Check.check(sizeBytes > 0 && sizeBytes == Device.alignDown(sizeBytes), "a memory of %d bytes", sizeBytes);
        this.sizeBytes = sizeBytes;
        for (long at = 0; at < sizeBytes; at += SLAB_BYTES) {
            slabs.add(slab((int) Math.min(SLAB_BYTES, sizeBytes - at)));
        }
    }

    private ByteBuffer slab(int bytes) throws TatamiException {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (OutOfMemoryError e) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "a cache of " + sizeBytes
                            + " bytes does not fit into this process's direct memory: choose a smaller one, or"
                            + " set TATAMI_OPTS=-XX:MaxDirectMemorySize=... to one gigabyte more than the cache",
                    e);
        }
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void readFully(long offsetBytes, ByteBuffer into) {
        for (long at = offsetBytes; into.hasRemaining(); ) {
            ByteBuffer part = part(at, into.remaining());
            at += part.remaining();
            into.put(part);
        }
    }

    @Override
    public void write(long offsetBytes, ByteBuffer from) {
        for (long at = offsetBytes; from.hasRemaining(); ) {
            ByteBuffer part = part(at, from.remaining());
            at += part.remaining();
            int limit = from.limit();
            part.put(from.limit(from.position() + part.remaining()));
            from.limit(limit);
        }
    }

    /** Up to {@code lengthBytes} bytes from {@code offsetBytes} on, within one slab. */
    private ByteBuffer part(long offsetBytes, int lengthBytes) {
        ByteBuffer slab = slabs.get((int) (offsetBytes / SLAB_BYTES)).duplicate();
        int start = (int) (offsetBytes % SLAB_BYTES);
        return slab.limit((int) Math.min(slab.capacity(), (long) start + lengthBytes))
                .position(start);
    }

    @Override
    public void flush() {
        // Nothing here outlives the process, with or without a flush.
    }

    @Override
    public void close() {
        // The memory goes with its last user.
    }
}
