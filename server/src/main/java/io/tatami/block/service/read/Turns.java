package io.tatami.block.service.read;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes turns of one stream on the threads of a pool: one at a time, each at the end of the pool's queue, so that
 * streams that share the pool alternate. A turn that is wanted while one waits or runs comes once more after it. Safe
 * for use by many threads.
 */
final class Turns {
    private final Executor pool;
    private final Turn turn;
    private final AtomicInteger wanted = new AtomicInteger();

    /** The work of one turn; must not throw. */
    @FunctionalInterface
    interface Turn {
        /** Returns whether another turn can be used at once. */
        boolean take();
    }

    Turns(Executor pool, Turn turn) {
        this.pool = pool;
        this.turn = turn;
    }

    /** Asks for a turn; while one is waiting or running, for one more look after it. */
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
