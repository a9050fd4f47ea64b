package io.tatami.server.cli.option;

import io.tatami.base.Clock;
import io.tatami.server.status.HumanBytes;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A line of the error output that says how far a long command is, and is written over again and again. There is none
 * where the error output is no terminal. Used by one thread.
 */
public final class ProgressLine implements AutoCloseable {
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int COLUMNS = 100;
    private static final int BAR = 30;
    private static final double PERCENT = 100;

    private final PrintWriter err;
    private final Clock clock;
    private final boolean isShown;
    private final long beganNanos;
    private long shownNanos;
    private boolean isDirty;

    /** @param isShown whether anything is written at all */
    public ProgressLine(PrintWriter err, Clock clock, boolean isShown) {
        this.err = err;
        this.clock = clock;
        this.isShown = isShown;
        this.beganNanos = clock.monotonicNanos();
        this.shownNanos = beganNanos;
    }

    /** On this process's terminal, if it has one. */
    public static ProgressLine of(PrintWriter err) {
        return new ProgressLine(err, Clock.SYSTEM, Terminal.isAt(2));
    }

    /** Whether there is a terminal to write on. */
    public boolean isShown() {
        return isShown;
    }

    /** What is told without a rate. */
    public void show(String text) {
        if (isTime()) {
            print(text);
        }
    }

    /** Of a thing that is counted, with its rate since the beginning: {@code 12000 files, 3000 a second}. */
    public void show(String text, long count) {
        if (isTime()) {
            print(text + ", " + Math.round(count / seconds()) + " a second");
        }
    }

    /**
     * Of bytes whose sum is known, with a bar, the rate since the beginning, and the time left at that rate.
     *
     * @param doneBefore of them when the command began
     */
    public void showBytes(long done, long doneBefore, long total) {
        if (!isTime() || total <= 0) {
            return;
        }
        double part = Math.min(1, (double) done / total);
        int full = (int) Math.round(part * BAR);
        double rate = (done - doneBefore) / seconds();
        print(String.format(
                Locale.ROOT,
                "[%s%s] %3.0f %%, %s/s, %s",
                "#".repeat(full),
                "-".repeat(BAR - full),
                part * PERCENT,
                HumanBytes.ofBytes((long) rate),
                rate < 1 ? "the time left is not known" : Math.round((total - done) / rate) + " s left"));
    }

    private boolean isTime() {
        return isShown && clock.monotonicNanos() - shownNanos >= EVERY_NANOS;
    }

    private double seconds() {
        return (double) (clock.monotonicNanos() - beganNanos) / TimeUnit.SECONDS.toNanos(1);
    }

    private void print(String line) {
        shownNanos = clock.monotonicNanos();
        err.print("\r" + String.format("%-" + COLUMNS + "s", line.substring(0, Math.min(COLUMNS, line.length()))));
        err.flush();
        isDirty = true;
    }

    /** Leaves an empty line to what comes next. */
    @Override
    public void close() {
        erase();
    }

    /** Leaves an empty line to what comes next; it may be written again. */
    public void erase() {
        if (isDirty) {
            isDirty = false;
            err.print("\r" + " ".repeat(COLUMNS) + "\r");
            err.flush();
        }
    }
}
