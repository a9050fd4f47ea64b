package io.tatami.block.service.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Runs nothing by itself: a test lets the tasks run, one at a time, on its own thread. */
final class ManualExecutor implements Executor {
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    /** Runs the task that waits longest; false where none waits. */
    boolean runNext() {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Runs tasks until none waits. */
    void runAll() {
        boolean more = true;
        while (more) {
            more = runNext();
        }
    }
}
