package io.tatami.benchmarks.harness.report;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Tells people what a benchmark that goes on for long is at, and since when it runs; not among its results. */
public final class Progress {
    private final long beginNanos = System.nanoTime();

    public void tell(String format, Object... values) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNanos);
        Screen.OF_PROCESS.print(System.err, "[" + time(seconds) + "] " + String.format(Locale.ROOT, format, values));
    }

    /** Minutes and seconds. */
    static String time(long seconds) {
        return String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
    }
}
