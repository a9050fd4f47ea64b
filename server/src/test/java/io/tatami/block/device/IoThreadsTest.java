package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class IoThreadsTest {
    private static final int UNIT = Device.UNIT_BYTES;

    private final List<String> begun = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);

    @Test
    void accessesOfManyStreamsAreDoneInLongRunsOfEach() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            PendingAccess first = holdThreads(threads);
            List<AccessStream> streams = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                streams.add(threads.stream(AccessKind.READ));
            }
            List<PendingAccess> pending = new ArrayList<>();
            for (int access = 0; access < 8; access++) {
                for (int i = 0; i < 16; i++) {
                    String name = "stream " + i;
                    pending.add(streams.get(i).submit(UNIT, () -> begun.add(name)));
                }
            }
            gate.countDown();
            first.await();
            for (PendingAccess access : pending) {
                access.await();
            }
        }

        for (int i = 0; i < 16; i++) {
            String name = "stream " + i;
            assertEquals(Collections.nCopies(8, name), begun.subList(8 * i, 8 * i + 8));
        }
    }

    @Test
    void aFlushDoesNotWaitBehindAQueue() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            PendingAccess first = holdThreads(threads);
            AccessStream writer = threads.stream(AccessKind.WRITE);
            for (int i = 0; i < 100; i++) {
                PendingAccess unused = writer.submit(UNIT, () -> begun.add("write"));
            }
            PendingAccess flush = threads.flush(() -> begun.add("flush"));
            gate.countDown();
            flush.await();
            first.await();
        }

        assertEquals("flush", begun.get(0));
        assertEquals(101, begun.size(), "what is queued is done before the threads end");
    }

    @Test
    void whatIsInTheBackgroundWaitsForTheReadsThatRunAndIsDoneBeforeTheThreadsEnd() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 3)) {
            CountDownLatch runs = new CountDownLatch(1);
            PendingAccess read = threads.stream(AccessKind.READ).submit(UNIT, () -> {
                runs.countDown();
                await(gate);
                begun.add("read");
            });
            runs.await();
            AccessStream moving = threads.stream(AccessKind.BACKGROUND);
            PendingAccess owed = moving.submit(UNIT, () -> begun.add("owed"));
            owed.await();
            for (int i = 0; i < 5; i++) {
                PendingAccess unused = moving.submit(UNIT, () -> begun.add("held back"));
            }
            assertEquals(List.of("owed"), List.copyOf(begun));
            gate.countDown();
            read.await();
        }

        assertEquals(List.of("owed", "read"), begun.subList(0, 2));
        assertEquals(7, begun.size());
    }

    @Test
    void whatIsDroppedIsNeverDoneAndWhoeverWaitsForItIsTold() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            PendingAccess first = holdThreads(threads);
            AccessStream reader = threads.stream(AccessKind.READ);
            PendingAccess dropped = reader.submit(UNIT, () -> begun.add("dropped"));
            reader.drop();

            assertTrue(dropped.isDone());
            TatamiException told = assertThrows(TatamiException.class, dropped::await);
            assertEquals(ErrorCode.CANCELLED, told.code());
            gate.countDown();
            first.await();
            reader.submit(UNIT, () -> begun.add("later")).await();
        }

        assertEquals(List.of("later"), begun);
    }

    @Test
    void anAccessThatFailsEndsNoThread() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            AccessStream stream = threads.stream(AccessKind.READ);
            PendingAccess bug = stream.submit(UNIT, () -> {
                throw new AssertionError("a bug");
            });

            assertThrows(IllegalStateException.class, bug::await);
            stream.submit(UNIT, () -> begun.add("next")).await();
        }

        assertEquals(List.of("next"), begun);
    }

    @Test
    void anInterruptOfWhoWaitsNeverReachesTheDeviceAndIsKept() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            CompletableFuture<Boolean> reached = new CompletableFuture<>();
            Thread.currentThread().interrupt();
            threads.stream(AccessKind.READ)
                    .submit(UNIT, () -> reached.complete(Thread.currentThread().isInterrupted()))
                    .await();

            assertTrue(Thread.interrupted());
            assertFalse(reached.get());
        }
    }

    @Test
    void whoeverWaitsForTheEndOfAnAbandonedAccessFindsItsBufferBack() throws Exception {
        AlignedBufferPool pool = new AlignedBufferPool(Device.ALIGNMENT_BYTES, 1);
        AlignedBuffer buffer = Objects.requireNonNull(pool.tryAcquire());
        CountDownLatch releasing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (IoThreads threads = IoThreads.start("test", 1)) {
            PendingAccess access = holdThreads(threads);
            access.abandon(() -> {
                releasing.countDown();
                await(release);
                buffer.release();
            });
            gate.countDown();
            releasing.await();
            boolean doneBefore = access.isDone();
            release.countDown();
            access.awaitEnd();

            assertEquals(1, pool.freeBuffers());
            assertFalse(doneBefore);
        }
    }

    @Test
    void whatHangsIsLeftByTheClosingAndEndsWhenItGoesOn() throws Exception {
        AlignedBufferPool pool = new AlignedBufferPool(Device.ALIGNMENT_BYTES, 1);
        AlignedBuffer buffer = Objects.requireNonNull(pool.tryAcquire());
        IoThreads threads = IoThreads.start("test", 2);
        PendingAccess access = holdThreads(threads);
        access.abandon(buffer::release);

        assertFalse(threads.close(() -> true));

        assertEquals(0, pool.freeBuffers());
        gate.countDown();
        threads.close();
        assertEquals(1, pool.freeBuffers());
    }

    @Test
    void theClosingWaitsForWhatGoesOnAfterItHungAndForTheBufferOfIt() throws Exception {
        AlignedBufferPool pool = new AlignedBufferPool(Device.ALIGNMENT_BYTES, 1);
        AlignedBuffer buffer = Objects.requireNonNull(pool.tryAcquire());
        IoThreads threads = IoThreads.start("test", 1);
        PendingAccess access = holdThreads(threads);
        access.abandon(buffer::release);
        AtomicInteger looks = new AtomicInteger();

        boolean ended = threads.close(() -> {
            boolean hangs = looks.incrementAndGet() < HangPatience.LOOKS_MAX;
            if (!hangs) {
                gate.countDown();
            }
            return hangs;
        });

        assertTrue(ended);
        assertEquals(1, pool.freeBuffers());
    }

    @Test
    void whoIsNeverInterruptedDoesWhatItWaitsForWhileAThreadIsIdle() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            AccessStream writer = threads.stream(AccessKind.WRITE);
            IoThreads.Access access = () -> begun.add(Thread.currentThread().getName());
            callerDoes(() -> writer.run(UNIT, access));
            callerDoes(() -> {
                PendingAccess unused = threads.flush(access);
            });
            writer.run(UNIT, access);

            PendingAccess first = holdThreads(threads);
            callerDoes(() -> writer.run(UNIT, access));
            gate.countDown();
            first.await();
        }

        assertEquals(List.of("caller-1", "caller-1", "test-io-1", "test-io-1"), begun);
    }

    @Test
    void theClosingWaitsForWhatACallerDoesAndNoMoreRunAtOnceThanThereAreThreads() throws Exception {
        IoThreads threads = IoThreads.start("test", 1);
        AccessStream writer = threads.stream(AccessKind.WRITE);
        Thread caller = heldCaller(writer);
        PendingAccess queued = writer.submit(UNIT, () -> begun.add("queued"));

        assertFalse(threads.close(() -> true));
        gate.countDown();
        threads.close();

        assertTrue(queued.isDone());
        assertEquals(List.of("caller's", "queued"), begun);
        caller.join();
    }

    @Test
    void whatCameWhileACallerHadTheOnlyPlaceIsDoneWhenItHasLeft() throws Exception {
        try (IoThreads threads = IoThreads.start("test", 1)) {
            AccessStream writer = threads.stream(AccessKind.WRITE);
            Thread caller = heldCaller(writer);
            PendingAccess queued = writer.submit(UNIT, () -> begun.add("queued"));
            gate.countDown();
            queued.await();
            caller.join();
        }

        assertEquals(List.of("caller's", "queued"), begun);
    }

    /** A caller's thread, in an access that waits for the gate. */
    private Thread heldCaller(AccessStream writer) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        Thread caller = IoThreads.callers("caller")
                .newThread(() -> writer.run(UNIT, () -> {
                    held.countDown();
                    await(gate);
                    begun.add("caller's");
                }));
        caller.start();
        held.await();
        return caller;
    }

    private static void callerDoes(Runnable work) throws InterruptedException {
        Thread caller = IoThreads.callers("caller").newThread(work);
        caller.start();
        caller.join();
    }

    @Test
    void onceClosedAnAccessIsLeftToTheDeviceToRefuse() {
        IoThreads threads = IoThreads.start("test", 2);
        threads.close();
        PendingAccess late = threads.stream(AccessKind.WRITE).submit(UNIT, () -> {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "closed");
        });

        assertEquals(
                ErrorCode.UNAVAILABLE,
                assertThrows(TatamiException.class, late::await).code());
    }

    /** Occupies the one thread until the gate opens. */
    private PendingAccess holdThreads(IoThreads threads) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        PendingAccess first = threads.stream(AccessKind.READ).submit(UNIT, () -> {
            held.countDown();
            await(gate);
        });
        held.await();
        return first;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
