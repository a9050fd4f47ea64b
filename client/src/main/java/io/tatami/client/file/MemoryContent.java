package io.tatami.client.file;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;

/** The first bytes of a file, while it may turn out to be small. Grows by doubling up to its limit. */
final class MemoryContent {
    private static final int FIRST_BYTES = 4 << 10;

    private final int bytesMax;
    private ByteBuffer bytes = ByteBuffer.allocate(0);

    MemoryContent(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    int sizeBytes() {
        return bytes.position();
    }

    /** Takes as much as there is room for. */
    void take(ByteBuffer source) {
        int wanted = Math.min(source.remaining(), bytesMax - bytes.position());
        if (wanted > bytes.remaining()) {
            grow(bytes.position() + wanted);
        }
        int limit = source.limit();
        source.limit(source.position() + wanted);
        bytes.put(source);
        source.limit(limit);
    }

    ByteString toByteString() {
        return ByteString.copyFrom(bytes.duplicate().flip());
    }

    /** What was taken, to be read; nothing is taken any more. */
    ByteBuffer end() {
        return bytes.flip();
    }

    private void grow(int needed) {
        int capacity = Math.max(FIRST_BYTES, bytes.capacity());
        while (capacity < needed) {
            capacity *= 2;
        }
        bytes = ByteBuffer.allocate(Math.min(capacity, bytesMax)).put(bytes.flip());
    }
}
