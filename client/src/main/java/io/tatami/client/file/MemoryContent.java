package io.tatami.client.file;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of a file, while it may turn out to be small. They lie in parts, so that none is copied as they
 * become more: each part is as long as all before it, or as what is to be taken, within limits. Used by one thread.
 */
final class MemoryContent {
    private static final int PART_BYTES_MIN = 4 << 10;
    private static final int PART_BYTES_MAX = 128 << 10;

    private final int bytesMax;

    /** Only the last one has room. */
    private final Deque<ByteBuffer> parts = new ArrayDeque<>();

    private int sizeBytes;
    private boolean ended;

    MemoryContent(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** How many bytes were taken. */
    int sizeBytes() {
        return sizeBytes;
    }

    /** Takes as much as there is room for. */
    void take(ByteBuffer source) {
        int wanted = Math.min(source.remaining(), bytesMax - sizeBytes);
        while (wanted > 0) {
            ByteBuffer part = parts.peekLast();
            if (part == null || !part.hasRemaining()) {
                part = ByteBuffer.allocate(nextPartBytes(wanted));
                parts.addLast(part);
            }
            int length = Math.min(wanted, part.remaining());
            part.put(source.slice(source.position(), length));
            source.position(source.position() + length);
            sizeBytes += length;
            wanted -= length;
        }
    }

    private int nextPartBytes(int wanted) {
        int bytes = Math.min(PART_BYTES_MAX, Math.max(PART_BYTES_MIN, Math.max(wanted, sizeBytes)));
        return Math.min(bytes, bytesMax - sizeBytes);
    }

    /** All that was taken; not once {@link #next} was called. */
    ByteString toByteString() {
        byte[] all = new byte[sizeBytes];
        int at = 0;
        for (ByteBuffer part : parts) {
            System.arraycopy(part.array(), 0, all, at, part.position());
            at += part.position();
        }
        return UnsafeByteOperations.unsafeWrap(all);
    }

    /** The next bytes that the caller has not read yet; null after the last. Nothing is taken any more. */
    @Nullable
    ByteBuffer next() {
        if (!ended) {
            ended = true;
            parts.forEach(ByteBuffer::flip);
        }
        while (!parts.isEmpty() && !parts.getFirst().hasRemaining()) {
            parts.removeFirst();
        }
        return parts.peekFirst();
    }

    /** How many bytes {@link #next} will still give. */
    int unreadBytes() {
        return parts.stream().mapToInt(ByteBuffer::remaining).sum();
    }
}
