package io.tatami.rpc.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class SimThreadsTest {
    private static final long SECOND = 1_000_000_000;

    private final SimTime time = new SimTime();
    private final List<String> told = new ArrayList<>();

    private void tell(String what) {
        told.add(time.monotonicNanos() / SECOND + " " + what);
    }

    private boolean run(long seconds) {
        return time.threads().run(() -> false, seconds * SECOND);
    }

    @Test
    void eventsThatWaitLetOthersGoOnInTheOrderOfTheirTimes() {
        time.after(0, () -> {
            tell("a begins");
            time.sleep(3 * SECOND);
            tell("a ends");
        });
        time.after(SECOND, () -> {
            tell("b begins");
            time.sleep(SECOND);
            tell("b ends");
        });
        assertFalse(run(10));
        assertEquals(List.of("0 a begins", "1 b begins", "2 b ends", "3 a ends"), told);
        assertEquals(10 * SECOND, time.monotonicNanos());
        time.threads().end();
    }

    @Test
    void waitForAFutureOrAConditionEndsWhenItIsThereOrItsTimeIsOver() {
        CompletableFuture<String> future = new CompletableFuture<>();
        ReentrantLock lock = new ReentrantLock();
        Condition changed = lock.newCondition();
        time.after(0, () -> {
            try {
                tell(time.get(future, 5 * SECOND));
                assertThrows(TimeoutException.class, () -> time.get(new CompletableFuture<>(), SECOND));
                tell("late");
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        });
        time.after(0, () -> {
            lock.lock();
            try {
                long left = time.await(lock, changed, () -> told.size() == 2, 9 * SECOND);
                tell("left " + left / SECOND);
            } finally {
                lock.unlock();
            }
        });
        time.after(2 * SECOND, () -> {
            time.lock(lock);
            future.complete("there");
            lock.unlock();
        });
        assertFalse(run(20));
        assertEquals(List.of("2 there", "3 late", "3 left 6"), told);
        time.threads().end();
    }

    @Test
    void lockOfAThreadThatWaitsIsWaitedFor() {
        ReentrantLock lock = new ReentrantLock();
        time.after(0, () -> {
            lock.lock();
            time.sleep(SECOND);
            lock.unlock();
        });
        time.after(1, () -> {
            time.lock(lock);
            tell("locked");
            lock.unlock();
        });
        assertTrue(time.threads().run(() -> !told.isEmpty(), 5 * SECOND));
        assertEquals(List.of("1 locked"), told);
        time.threads().end();
    }

    @Test
    void bugOfAnEventEndsTheRunAndTheEndUnwindsWhatWaits() {
        time.after(0, () -> {
            try {
                time.sleep(100 * SECOND);
            } finally {
                tell("unwound");
            }
        });
        time.after(SECOND, () -> {
            throw new IllegalArgumentException("a bug");
        });
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> run(5));
        assertInstanceOf(IllegalArgumentException.class, thrown.getCause());
        assertEquals(List.of(), told);
        time.threads().end();
        assertEquals(List.of("1 unwound"), told);
    }
}
