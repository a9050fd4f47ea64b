package io.tatami.base;

import java.nio.ByteBuffer;
import java.util.UUID;

/** A UUID in its {@value #LENGTH} bytes, most significant first (RFC 4122), as messages and files have it. */
public final class UuidBytes {
    public static final int LENGTH = 2 * Long.BYTES;

    private UuidBytes() {}

    /** From the position on, which moves behind it. */
    public static void put(UUID id, ByteBuffer into) {
        into.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    }

    /** What {@link #put} wrote. */
    public static UUID get(ByteBuffer from) {
        return new UUID(from.getLong(), from.getLong());
    }

    /** Ready to be read. */
    public static ByteBuffer of(UUID id) {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
        put(id, bytes);
        return bytes.flip();
    }
}
