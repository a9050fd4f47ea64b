package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

/** Waits for what servers do by themselves. */
final class Eventually {
    private static final long LOOK_MILLIS = 50;

    private Eventually() {}

    /** What is looked at now and then. */
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Returns once the condition holds; fails where that takes longer than {@code patience}. */
    static void await(Duration patience, Condition condition) throws Exception {
        long begin = System.nanoTime();
        while (!condition.holds()) {
            assertTrue(System.nanoTime() - begin < patience.toNanos(), "what is waited for does not come");
            Thread.sleep(LOOK_MILLIS);
        }
    }
}
