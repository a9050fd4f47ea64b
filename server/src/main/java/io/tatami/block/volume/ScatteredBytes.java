package io.tatami.block.volume;

import java.nio.ByteBuffer;

/**
 * Bytes that lie one behind the other in several buffers, as they came off the network. Taking them moves the positions
 * of the buffers.
 */
public final class ScatteredBytes implements ByteSource {
    private final ByteBuffer[] parts;
    private int firstPart;
    private int remaining;

    private ScatteredBytes(ByteBuffer[] parts) {
        this.parts = parts;
        for (ByteBuffer part : parts) {
            remaining = Math.addExact(remaining, part.remaining());
        }
    }

    /** What is between position and limit of each of {@code parts}, which must not be used otherwise meanwhile. */
    public static ScatteredBytes of(ByteBuffer... parts) {
        return new ScatteredBytes(parts);
    }

    @Override
    public int remaining() {
        return remaining;
    }

    @Override
    public void take(int length, ByteBuffer into, int index) {
        int taken = 0;
        while (taken < length) {
            ByteBuffer part = parts[firstPart];
            int step = Math.min(length - taken, part.remaining());
            into.put(index + taken, part, part.position(), step);
            part.position(part.position() + step);
            taken += step;
            if (!part.hasRemaining()) {
                firstPart++;
            }
        }
        remaining -= length;
    }
}
