package io.tatami.benchmarks.workload.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;

/** Reads everything that was promised to all writers, once they are gone. Used by one thread. */
final class PromiseJudge {
    private static final long SETTLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(120);
    private static final long POLL_MILLIS = 500;

    private final FileChecks checks;
    private final ClientReport report;
    private final Map<String, PromiseJournal> byDirectory = new TreeMap<>();

    PromiseJudge(FileSystem fs, Path journals, ClientReport report) throws IOException {
        this.checks = new FileChecks(fs, report);
        this.report = report;
        try (Stream<Path> files = Files.list(journals)) {
            for (Path file : files.toList()) {
                byDirectory.put(JournalNames.directory(JournalNames.writer(file)), PromiseJournal.open(file));
            }
        }
    }

    /** Ends the writing of all files whose writers are gone, and finds the lengths that these have. */
    String settle() throws InterruptedException {
        long beginNanos = System.nanoTime();
        int settled = 0;
        for (PromiseJournal journal : byDirectory.values()) {
            for (PromisedFile file : journal.book().uncertain()) {
                settle(file, journal, beginNanos + SETTLE_NANOS_MAX);
                settled++;
            }
        }
        return settled + " files settled in " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos) + " ms";
    }

    private void settle(PromisedFile file, PromiseJournal journal, long giveUpNanos) throws InterruptedException {
        String last = "its lease is not recovered";
        do {
            try {
                if (Settlement.settle(file, checks, journal)) {
                    return;
                }
            } catch (IOException e) {
                last = e.toString();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } while (System.nanoTime() - giveUpNanos < 0);
        report.violation("file " + file.id + " at " + file.places + " cannot be settled: " + last);
    }

    /** Every byte, every length and every listing. */
    String readAll() {
        List<String> unread = new ArrayList<>();
        long files = 0;
        for (Map.Entry<String, PromiseJournal> each : byDirectory.entrySet()) {
            PromiseBook book = each.getValue().book();
            for (PromisedFile file : book.certain()) {
                files++;
                attempt(file.place(), unread, () -> checks.readAll(file));
            }
            attempt(each.getKey(), unread, () -> checks.list(each.getKey(), book));
        }
        unread.forEach(report::violation);
        return files + " files, " + unread.size() + " not read";
    }

    /** A look at a file or directory. */
    private interface Look {
        void look() throws IOException;
    }

    private static void attempt(String path, List<String> unread, Look look) {
        try {
            look.look();
        } catch (IOException e) {
            unread.add(path + " cannot be read: " + e);
        }
    }
}
