package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class SharedFlushTest {
    private final SimFaults faults = new SimFaults();
    private final SimDisk disk = new SimDisk(1 << 20, faults);

    @Test
    void everyCallerAloneGetsAFlushOfItsOwn() throws TatamiException {
        SharedFlush flush = new SharedFlush(disk, IoThreads.onCaller());
        flush.flush();
        flush.flush();

        assertEquals(2, faults.accesses());
    }

    @Test
    void manyCallersShareFlushesAndNoneIsLeftWaiting() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            SharedFlush flush = new SharedFlush(disk, threads);
            ExecutorService callers = Executors.newFixedThreadPool(8);
            List<Future<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                calls.add(callers.submit(() -> {
                    flush.flush();
                    return 1;
                }));
            }
            int returned = 0;
            for (Future<Integer> call : calls) {
                returned += call.get();
            }
            callers.shutdown();
            assertEquals(400, returned);
            assertTrue(faults.accesses() <= 400, faults.accesses() + " flushes");
        }
    }

    @Test
    void afterAFailedFlushNoneIsTriedAgain() {
        SharedFlush flush = new SharedFlush(disk, IoThreads.onCaller());
        faults.arm(0, SimFaults.Fault.IO_ERROR);

        assertThrows(TatamiException.class, flush::flush);
        assertThrows(TatamiException.class, flush::flush);
        assertEquals(1, faults.accesses());
    }

    @Test
    void allWhoComeWhileAFlushIsUnderWayShareTheNext() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            CountDownLatch gate = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(1);
            PendingAccess held = threads.stream(AccessKind.READ).submit(Device.UNIT_BYTES, () -> {
                begun.countDown();
                await(gate);
            });
            // A flush that came before the thread has taken this access would be done first.
            begun.await();
            SharedFlush flush = new SharedFlush(disk, threads);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread caller = new Thread(() -> flushed(flush));
                caller.start();
                callers.add(caller);
                while (caller.getState() != Thread.State.WAITING) {
                    assertTrue(caller.isAlive(), "a caller has returned without a flush");
                    Thread.onSpinWait();
                }
            }
            gate.countDown();
            held.await();
            for (Thread caller : callers) {
                caller.join();
            }
        }

        assertEquals(2, faults.accesses());
    }

    @Test
    void afterAFlushThatABugEndedNobodyBelievesThatItWasFlushed() {
        SharedFlush flush = new SharedFlush(disk, IoThreads.onCaller());
        CrashPoint.listen(point -> {
            throw new IllegalStateException("a bug");
        });
        try {
            assertThrows(IllegalStateException.class, flush::flush);
        } finally {
            CrashPoint.listen(null);
        }
        TatamiException refused = assertThrows(TatamiException.class, flush::flush);

        assertEquals(ErrorCode.INTERNAL, refused.code());
        assertEquals(0, faults.accesses());
    }

    private static void flushed(SharedFlush flush) {
        try {
            flush.flush();
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
