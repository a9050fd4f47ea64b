package io.tatami.benchmarks.workload.chaos;

import java.time.LocalTime;
import java.time.temporal.ChronoUnit;

/** What a client process counts, and what it has to say at once. Safe for use by many threads. */
final class ClientReport {
    static final String VIOLATION = "violation";

    private long violations;
    private long files;
    private long bytesWritten;
    private long bytesRead;
    private long promises;
    private long listings;
    private long renames;
    private long failures;

    /** Something that was promised is not so; the first line of the process that started this one to see it. */
    synchronized void violation(String text) {
        violations++;
        System.out.println(VIOLATION + " " + text.replace('\n', ' '));
        System.err.println(now() + " VIOLATION " + text);
    }

    /** An operation failed, which it may while servers are broken. */
    synchronized void failed(String what, Exception e) {
        failures++;
        System.err.println(now() + " " + what + " failed: " + e);
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            System.err.println("    by " + cause);
        }
    }

    private static LocalTime now() {
        return LocalTime.now().truncatedTo(ChronoUnit.MILLIS);
    }

    synchronized void closed() {
        files++;
    }

    synchronized void wrote(long bytes) {
        bytesWritten += bytes;
    }

    synchronized void read(long bytes) {
        bytesRead += bytes;
    }

    synchronized void promised() {
        promises++;
    }

    synchronized void listed() {
        listings++;
    }

    synchronized void renamed() {
        renames++;
    }

    @Override
    public synchronized String toString() {
        return files + " files closed, " + (bytesWritten >> 20) + " MiB written, " + promises + " flushes, "
                + (bytesRead >> 20) + " MiB read, " + renames + " renames, " + listings + " listings, " + failures
                + " operations failed, " + violations + " violations";
    }
}
