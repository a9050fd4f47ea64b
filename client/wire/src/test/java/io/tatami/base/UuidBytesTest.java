package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UuidBytesTest {
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void theBytesAreInTheOrderInWhichTheyAreWritten() {
        byte[] expected = new byte[UuidBytes.LENGTH];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = (byte) (0x11 * i);
        }
        assertArrayEquals(expected, UuidBytes.of(ID).array());
    }

    @Test
    void oneBehindTheOtherAreReadAsTheyWerePut() {
        UUID other = UUID.fromString("ffffffff-0000-ffff-0000-ffffffffffff");
        ByteBuffer bytes = ByteBuffer.allocate(2 * UuidBytes.LENGTH);
        UuidBytes.put(ID, bytes);
        UuidBytes.put(other, bytes);
        bytes.flip();
        assertEquals(ID, UuidBytes.get(bytes));
        assertEquals(other, UuidBytes.get(bytes));
        assertEquals(0, bytes.remaining());
    }
}
