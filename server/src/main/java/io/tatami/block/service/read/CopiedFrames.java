package io.tatami.block.service.read;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory for copies of what connections are sent, where the volumes' buffers run short. A connection may have a quarter
 * of it; the last quarter is for the first copy of connections that have none. Safe for use by many threads.
 */
public final class CopiedFrames {
    private static final int PARTS = 4;

    private final long bytesMax;
    private final Map<String, Long> byConnection = new HashMap<>();
    private long taken;

    /** @param bytesMax heap memory, taken only when it is needed */
    public CopiedFrames(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes {@code bytes} for {@code connection}, all or nothing. Each is to be given back or put into a copy. */
    public synchronized boolean tryTake(String connection, int bytes) {
        long held = byConnection.getOrDefault(connection, 0L);
        long part = bytesMax / PARTS;
        boolean fits = held == 0 ? taken + bytes <= bytesMax : taken + bytes <= bytesMax - part && held + bytes <= part;
        if (fits) {
            taken += bytes;
            byConnection.merge(connection, (long) bytes, Long::sum);
        }
        return fits;
    }

    public synchronized void giveBack(String connection, int bytes) {
        taken -= bytes;
        byConnection.computeIfPresent(connection, (name, held) -> held > bytes ? held - bytes : null);
    }

    /** A copy, whose bytes were taken before and are given back when it was sent or dropped. */
    ByteBuf copy(String connection, ByteBuffer bytes) {
        return new CopiedBytes(bytes, copied -> giveBack(connection, copied));
    }

    public synchronized long taken() {
        return taken;
    }
}
