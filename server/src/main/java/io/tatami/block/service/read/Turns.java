package io.tatami.block.service.read;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the turns of one stream on the threads of a pool: one at a time, each at the end of the pool's queue, so streams
 * that share the pool alternate. A turn that is requested while one waits or runs follows once after it. Safe for use
 * by many threads.
 */
final class Turns {
    private final Executor pool;
    private final Turn turn;
    private final AtomicInteger wanted = new AtomicInteger();

    /** The work of one turn; must not throw. */
    @FunctionalInterface
    interface Turn {
        /** Runs one turn; returns whether another is possible at once. */
        boolean take();
    }

    Turns(Executor pool, Turn turn) {
        this.pool = pool;
        this.turn = turn;
    }

    /** Requests a turn. If one is waiting or running, it looks once more at its end. */
    void want() {
        if (wanted.getAndIncrement() == 0) {
            pool.execute(this::run);
        }
    }

    private void run() {
        int seen = wanted.get();
        boolean again = turn.take();
        if (again || wanted.addAndGet(-seen) > 0) {
            pool.execute(this::run);
        }
    }
}
