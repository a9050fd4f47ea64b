package io.tatami.benchmarks.quickstart;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Tells the steps of the quickstart as they begin, with minutes and seconds since its start. */
final class Steps {
    private final PrintStream out;
    private final long beginNanos = System.nanoTime();

    Steps(PrintStream out) {
        this.out = out;
    }

    void say(String step) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNanos);
        out.printf("[%d:%02d] %s%n", seconds / 60, seconds % 60, step);
    }

    /** Of the step that was told last. */
    void detail(String line) {
        out.println("  " + line);
    }
}
