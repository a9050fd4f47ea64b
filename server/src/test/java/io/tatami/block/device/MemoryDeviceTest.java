package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryDeviceTest {
    @Test
    void whatWasWrittenIsReadAlsoAcrossTheEndOfASlab() throws TatamiException {
        MemoryDevice device = new MemoryDevice(72L << 20);
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        long offset = (64L << 20) - (1 << 20);

        device.write(offset, ByteBuffer.wrap(bytes));
        ByteBuffer read = ByteBuffer.allocate(bytes.length);
        device.readFully(offset, read);

        assertArrayEquals(bytes, read.array());
        ByteBuffer behind = ByteBuffer.allocate(Device.ALIGNMENT_BYTES);
        device.readFully(offset + bytes.length, behind);
        assertArrayEquals(new byte[Device.ALIGNMENT_BYTES], behind.array());
    }

    @Test
    void moreThanTheProcessMayHaveIsRefusedWithTheRemedy() {
        TatamiException refused = assertThrows(TatamiException.class, () -> new MemoryDevice(1L << 50));

        assertEquals(ErrorCode.NO_SPACE, refused.code());
        assertTrue(String.valueOf(refused.getMessage()).contains("MaxDirectMemorySize"), refused::getMessage);
    }
}
