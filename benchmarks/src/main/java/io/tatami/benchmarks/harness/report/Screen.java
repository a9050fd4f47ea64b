package io.tatami.benchmarks.harness.report;

import io.tatami.server.cli.option.ProgressLine;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * What a benchmark's process prints: lines that stay, and where its error output is a terminal, below them one line
 * that is written over. Safe for use by many threads.
 */
final class Screen {
    /** Of this process. */
    static final Screen OF_PROCESS =
            new Screen(ProgressLine.of(new PrintWriter(System.err, true, StandardCharsets.UTF_8)));

    private final ProgressLine below;

    Screen(ProgressLine below) {
        this.below = below;
    }

    /** Whether there is a line that is written over. */
    boolean hasLine() {
        return below.isShown();
    }

    /** A line that stays. The one that is written over is gone until it is shown again. */
    synchronized void print(PrintStream to, String line) {
        below.erase();
        to.println(line);
    }

    synchronized void show(String line) {
        below.show(line);
    }

    synchronized void erase() {
        below.erase();
    }
}
