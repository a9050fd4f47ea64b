package io.tatami.benchmarks.harness.host;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What has to be undone, last done first; once, whoever asks for it: the program's end, or an interrupt, after which
 * what is still being begun is undone at once.
 */
public final class Undo {
    private final Deque<Step> steps = new ArrayDeque<>();
    private boolean isInterrupted;

    /** One thing to undo. */
    @FunctionalInterface
    public interface Step {
        void run() throws Exception;
    }

    /** Undoes all also where this program is interrupted. */
    public Undo() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt, "undo"));
    }

    public synchronized void add(Step step) {
        steps.push(step);
        if (isInterrupted) {
            run();
        }
    }

    /** A step that fails is told and does not keep the others from being done. */
    public synchronized void run() {
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (Exception e) {
                System.err.println("tatami: cleaning up: " + e);
            }
        }
    }

    private synchronized void interrupt() {
        isInterrupted = true;
        run();
    }
}
