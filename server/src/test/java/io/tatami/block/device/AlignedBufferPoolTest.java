package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AlignedBufferPoolTest {
    private static final int BYTES = 1 << 20;

    @Test
    void buffersAreAlignedAndNoMoreThanTheLimit() {
        AlignedBufferPool pool = new AlignedBufferPool(BYTES, 70);
        List<AlignedBuffer> taken = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            AlignedBuffer buffer = pool.tryAcquire();
            assertNotNull(buffer);
            assertEquals(0, buffer.memory().alignmentOffset(0, Device.ALIGNMENT_BYTES));
            assertEquals(BYTES, buffer.memory().capacity());
            taken.add(buffer);
        }

        assertNull(pool.tryAcquire());
        assertNull(pool.acquire(1));
        taken.forEach(AlignedBuffer::release);
        assertEquals(70, pool.freeBuffers());
    }

    @Test
    void releasingTwiceIsABug() {
        AlignedBuffer buffer = new AlignedBufferPool(BYTES, 1).tryAcquire();
        assertNotNull(buffer);
        buffer.release();

        assertThrows(IllegalStateException.class, buffer::release);
    }

    @Test
    void aWaitingCallerGetsWhatIsReleasedAndKeepsItsInterrupt() throws Exception {
        AlignedBufferPool pool = new AlignedBufferPool(BYTES, 1);
        AlignedBuffer only = pool.tryAcquire();
        assertNotNull(only);
        CompletableFuture<Boolean> interruptKept = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            Thread.currentThread().interrupt();
            AlignedBuffer got = pool.acquire(60_000);
            interruptKept.complete(got != null && Thread.currentThread().isInterrupted());
        });
        waiter.start();
        only.release();

        assertTrue(interruptKept.get(60, TimeUnit.SECONDS));
    }
}
