package io.tatami.client.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MemoryContentTest {
    private static final int BYTES_MAX = 1 << 20;

    private final Random random = new Random(1);

    @Test
    void whatIsTakenInPiecesOfAnyLengthComesOutAsItWas() {
        for (int round = 0; round < 200; round++) {
            byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
            random.nextBytes(bytes);
            MemoryContent content = new MemoryContent(BYTES_MAX);
            int pieceMax = 1 + random.nextInt(1 << (5 + random.nextInt(16)));
            ByteBuffer source = ByteBuffer.wrap(bytes);
            while (source.hasRemaining()) {
                int length = Math.min(source.remaining(), random.nextInt(pieceMax + 1));
                ByteBuffer piece = source.slice(source.position(), length);
                content.take(piece);
                assertEquals(0, piece.remaining());
                source.position(source.position() + length);
            }
            assertEquals(bytes.length, content.sizeBytes());
            assertArrayEquals(bytes, content.toByteString().toByteArray());
            assertArrayEquals(bytes, readInSteps(content));
        }
    }

    /** As blocks take it: some of each part at a time. */
    private byte[] readInSteps(MemoryContent content) {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        int size = content.sizeBytes();
        for (ByteBuffer part = content.next(); part != null; part = content.next()) {
            assertEquals(size - read.size(), content.unreadBytes());
            byte[] step = new byte[1 + random.nextInt(part.remaining())];
            part.get(step);
            read.writeBytes(step);
        }
        assertEquals(0, content.unreadBytes());
        return read.toByteArray();
    }

    @Test
    void moreThanThereIsRoomForStaysWithTheCaller() {
        MemoryContent content = new MemoryContent(10_000);
        ByteBuffer source = ByteBuffer.wrap(new byte[12_345]);
        content.take(source);
        assertEquals(10_000, content.sizeBytes());
        assertEquals(2_345, source.remaining());
        content.take(source);
        assertEquals(2_345, source.remaining());
    }

    @Test
    void nothingTakenIsNothingToRead() {
        MemoryContent content = new MemoryContent(BYTES_MAX);
        assertEquals(0, content.toByteString().size());
        assertNull(content.next());
    }
}
