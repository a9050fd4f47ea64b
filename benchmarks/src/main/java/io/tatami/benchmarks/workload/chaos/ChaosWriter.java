package io.tatami.benchmarks.workload.chaos;

import io.tatami.benchmarks.workload.chaos.PromiseBook.Event;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes, flushes, closes, reads, appends, renames, lists and deletes files in a directory of its own, and compares
 * them with its book. Its thread alone uses it.
 */
final class ChaosWriter implements Runnable {
    private static final long LENGTH_MAX = 12L << 20;
    private static final long LENGTH_MIN = 1_000;
    private static final int PIECE_MAX = 512 << 10;
    private static final long BYTES_KEPT = 64L << 20;
    private static final long READ_MAX = 4L << 20;
    private static final int PAUSE_MILLIS_MAX = 400;

    /** A rename, create or delete that was not answered may still be done; later than this it is not. */
    private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(90);

    private final FileSystem fs;
    private final String directory;
    private final PromiseJournal journal;
    private final PromiseBook book;
    private final Random random;
    private final ClientGate gate;
    private final ClientReport report;
    private final FileChecks checks;
    private long nextId;
    private long failedNanos = System.nanoTime();

    /** @param firstId less than any that another writer has below the next writer's */
    ChaosWriter(
            FileSystem fs,
            String directory,
            PromiseJournal journal,
            long firstId,
            Random random,
            ClientGate gate,
            ClientReport report) {
        this.fs = fs;
        this.directory = directory;
        this.journal = journal;
        this.book = journal.book();
        this.nextId = Math.max(firstId, book.lastId() + 1);
        this.random = random;
        this.gate = gate;
        this.report = report;
        this.checks = new FileChecks(fs, report);
    }

    @Override
    public void run() {
        try {
            while (gate.pass(this::settleAll)) {
                step();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(PAUSE_MILLIS_MAX));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            report.violation("a writer met " + e);
            e.printStackTrace();
        }
    }

    private void step() throws InterruptedException {
        String what = "";
        try {
            if (book.bytes() > BYTES_KEPT) {
                what = "delete";
                delete();
                return;
            }
            int draw = random.nextInt(100);
            if (draw < 35) {
                what = "write";
                write();
            } else if (draw < 45) {
                what = "append";
                append();
            } else if (draw < 75) {
                what = "read";
                read();
            } else if (draw < 85) {
                what = "rename";
                rename();
            } else if (draw < 92) {
                what = "list";
                list();
            } else {
                what = "settle";
                settle();
            }
        } catch (IOException e) {
            failedNanos = System.nanoTime();
            report.failed(what + " in " + directory, e);
        }
    }

    /** No two are the same, also where another process goes on in the place of one that was killed. */
    private String newPath(long id) {
        return directory + "/f" + id + "-" + Long.toString(System.nanoTime(), Character.MAX_RADIX);
    }

    /** As many of short files as of long ones. */
    private long length() {
        double span = Math.log((double) LENGTH_MAX / LENGTH_MIN);
        return (long) (LENGTH_MIN * Math.exp(random.nextDouble() * span));
    }

    private void write() throws IOException, InterruptedException {
        long id = nextId++;
        String path = newPath(id);
        PromisedFile file = journal.begin(id, path);
        FSDataOutputStream out = fs.create(new Path(path), false);
        journal.write(Event.MADE, file);
        fill(file, out, length());
    }

    private void append() throws IOException, InterruptedException {
        Optional<PromisedFile> chosen = choose();
        if (chosen.isPresent() && chosen.get().promised < LENGTH_MAX) {
            PromisedFile file = chosen.get();
            journal.write(Event.REOPEN, file);
            fill(file, fs.append(new Path(file.place())), file.promised + length());
        }
    }

    /** Writes up to a length, and closes. */
    private void fill(PromisedFile file, FSDataOutputStream out, long length) throws IOException, InterruptedException {
        boolean isClosed = false;
        try {
            long written = file.promised;
            while (written < length) {
                written = writePiece(file, out, written, length);
                if (random.nextInt(4) == 0) {
                    flush(file, out, written);
                }
                if (file.promised > 0 && random.nextInt(6) == 0) {
                    checks.read(file, random.nextLong(file.promised), READ_MAX);
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(PAUSE_MILLIS_MAX));
            }
            out.close();
            isClosed = true;
            journal.write(Event.CLOSED, file, length);
            report.closed();
        } finally {
            if (!isClosed) {
                abandon(out);
            }
        }
    }

    private long writePiece(PromisedFile file, FSDataOutputStream out, long written, long length) throws IOException {
        int piece = (int) Math.min(1 + random.nextInt(PIECE_MAX), length - written);
        byte[] bytes = new byte[piece];
        SeededContent.fill(file.id, written, bytes, piece);
        journal.write(Event.ATTEMPT, file, written + piece);
        out.write(bytes);
        report.wrote(piece);
        return written + piece;
    }

    private void flush(PromisedFile file, FSDataOutputStream out, long written) throws IOException {
        if (random.nextBoolean()) {
            out.hflush();
        } else {
            out.hsync();
        }
        journal.write(Event.PROMISE, file, written);
        report.promised();
    }

    private void abandon(FSDataOutputStream out) {
        try {
            out.close();
        } catch (IOException e) {
            report.failed("close after a failure", e);
        }
    }

    private Optional<PromisedFile> choose() {
        List<PromisedFile> certain = book.certain();
        return certain.isEmpty() ? Optional.empty() : Optional.of(certain.get(random.nextInt(certain.size())));
    }

    private void read() throws IOException {
        Optional<PromisedFile> chosen = choose();
        if (chosen.isPresent() && random.nextInt(3) == 0) {
            checks.readAll(chosen.get());
        } else if (chosen.isPresent() && chosen.get().promised > 0) {
            checks.read(chosen.get(), random.nextLong(chosen.get().promised), READ_MAX);
        }
    }

    private void rename() throws IOException {
        Optional<PromisedFile> chosen = choose();
        if (chosen.isPresent()) {
            PromisedFile file = chosen.get();
            String from = file.place();
            String to = newPath(file.id);
            journal.write(Event.MOVE, file, to);
            if (!fs.rename(new Path(from), new Path(to))) {
                report.violation(from + " cannot be renamed to " + to);
            }
            journal.write(Event.PLACED, file, to);
            report.renamed();
        }
    }

    private void delete() throws IOException {
        Optional<PromisedFile> chosen = choose();
        if (chosen.isPresent()) {
            PromisedFile file = chosen.get();
            journal.write(Event.DROP, file);
            if (!fs.delete(new Path(file.place()), false)) {
                report.violation(file.place() + " is not there to be deleted");
            }
            journal.write(Event.GONE, file);
        }
    }

    private void list() throws IOException {
        checks.list(directory, book);
    }

    /** Finds out what became of a file that a failure left uncertain. */
    private void settle() throws IOException {
        List<PromisedFile> uncertain = settleable();
        if (!uncertain.isEmpty()) {
            Settlement.settle(uncertain.get(random.nextInt(uncertain.size())), checks, journal);
        }
    }

    /** One at least is only left open: its place is known. */
    private List<PromisedFile> settleable() {
        boolean isAnswered = System.nanoTime() - failedNanos >= UNANSWERED_NANOS;
        return book.uncertain().stream()
                .filter(file -> isAnswered || file.isThere())
                .toList();
    }

    /** Leaves no file open, for as long as it takes. */
    private void settleAll() throws InterruptedException {
        while (!book.uncertain().isEmpty()) {
            try {
                settle();
            } catch (IOException e) {
                report.failed("settle in " + directory, e);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS_MAX);
        }
    }
}
