package io.tatami.client.file;

import io.tatami.base.Check;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * One range of a vectored read.
 *
 * @param result completed with a buffer whose remaining bytes are exactly the range, or exceptionally; on a thread of
 *     the client, so that what hangs on it must not block
 */
public record ReadRange(long offsetBytes, int lengthBytes, CompletableFuture<ByteBuffer> result) {
    public ReadRange {
        Check.check(offsetBytes >= 0 && lengthBytes >= 0, "range of %d bytes at %d", lengthBytes, offsetBytes);
    }

    public static ReadRange of(long offsetBytes, int lengthBytes) {
        return new ReadRange(offsetBytes, lengthBytes, new CompletableFuture<>());
    }

    long endBytes() {
        return offsetBytes + lengthBytes;
    }
}
