package io.tatami.benchmarks.workload.list;

import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Fills a directory with empty files, by several clients with a connection and a thread each. */
final class Crowd {
    private static final long TELL_SECONDS = 30;

    private final TatamiPath directory;
    private final long files;
    private final Progress progress;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong made = new AtomicLong();

    /** Opens a client. */
    @FunctionalInterface
    interface Source {
        TatamiClient connect() throws IOException;
    }

    Crowd(TatamiPath directory, long files, Progress progress) {
        this.directory = directory;
        this.files = files;
        this.progress = progress;
    }

    /** The names in the order in which they are listed. */
    static String name(long number) {
        return String.format("f%012d", number);
    }

    /** Returns when all files are there; an interrupt ends it. */
    void make(int clients, Source source) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<?>> makers = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                makers.add(threads.submit(() -> {
                    makeSome(source);
                    return null;
                }));
            }
            for (Future<?> maker : makers) {
                await(maker);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void makeSome(Source source) throws IOException {
        try (TatamiClient client = source.connect()) {
            for (long number = taken.getAndIncrement();
                    number < files && !Thread.currentThread().isInterrupted();
                    number = taken.getAndIncrement()) {
                client.create(directory.child(name(number)), CreateSpec.DEFAULT).close();
                made.incrementAndGet();
            }
        }
    }

    private void await(Future<?> maker) throws IOException, InterruptedException {
        while (true) {
            try {
                maker.get(TELL_SECONDS, TimeUnit.SECONDS);
                return;
            } catch (TimeoutException e) {
                progress.tell("%,d of %,d files", made.get(), files);
            } catch (ExecutionException e) {
                throw new IOException("a client that creates files failed", e.getCause());
            }
        }
    }
}
