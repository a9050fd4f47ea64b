package io.tatami.benchmarks.quickstart;

import java.util.ArrayDeque;
import java.util.Deque;

/** What has to be undone, last done first; once, whoever asks for it: the program's end or an interrupt. */
final class Undo {
    private final Deque<Step> steps = new ArrayDeque<>();

    /** One thing to undo. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    synchronized void add(Step step) {
        steps.push(step);
    }

    /** A step that fails is told and does not keep the others from being done. */
    synchronized void run() {
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (Exception e) {
                System.err.println("tatami: cleaning up: " + e);
            }
        }
    }
}
