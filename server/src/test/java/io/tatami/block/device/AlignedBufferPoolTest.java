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
    void whoHoldsBuffersMayHoldAsManyAsAllOthersAndWhoHoldsNoneMayHaveOne() {
        AlignedBufferPool pool = new AlignedBufferPool(BYTES, 12);
        List<BufferShare> shares = new ArrayList<>();
        List<AlignedBuffer> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            shares.add(pool.share());
            held.add(pool.tryAcquire(shares.get(i)));
            assertEquals(12 / (i + 1), shares.get(0).size());
        }
        assertNotNull(shares.get(0).tryAcquire());
        assertNotNull(shares.get(0).tryAcquire());
        assertNull(shares.get(0).tryAcquire());

        assertNotNull(pool.share().tryAcquire());
        assertEquals(2, shares.get(0).size());
        held.subList(1, 4).forEach(AlignedBuffer::release);
        assertEquals(6, shares.get(0).size());
        assertNotNull(shares.get(0).tryAcquire());
    }

    @Test
    void whoeverWaitsForAFirstBufferIsWokenAndComesBeforeWhoWantsMore() {
        AlignedBufferPool pool = new AlignedBufferPool(BYTES, 3);
        BufferShare rich = pool.share();
        List<AlignedBuffer> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(rich.tryAcquire());
        }
        List<String> woken = new ArrayList<>();
        BufferShare poor = pool.share();
        assertNull(poor.acquireOr(() -> woken.add("poor")));
        assertEquals(List.of(), woken);

        held.get(0).release();
        assertEquals(List.of("poor"), woken);
        assertNotNull(poor.acquireOr(() -> woken.add("again")));
        assertNull(rich.tryAcquire());
        held.get(1).release();
        assertEquals(List.of("poor"), woken);
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
