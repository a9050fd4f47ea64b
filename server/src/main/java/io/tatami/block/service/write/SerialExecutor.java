package io.tatami.block.service.write;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one stream one after the other, in the order in which they came, on the threads of a pool. The
 * tasks must not throw. Bounded by what the stream may have outstanding.
 */
final class SerialExecutor implements Executor {
    private final Executor pool;

    /** Guarded by itself, as is {@link #running}. */
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    private boolean running;

    SerialExecutor(Executor pool) {
        this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        pool.execute(this::runAll);
    }

    private void runAll() {
        Runnable task = next();
        while (task != null) {
            task.run();
            task = next();
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }
}
