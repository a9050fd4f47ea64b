package io.tatami.benchmarks.harness.client;

import io.tatami.base.Threads;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
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
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that create and close files without end, each in a directory of its own, with a connection and a thread of
 * its own. Opened and closed by one thread.
 */
public final class CreateLoad implements AutoCloseable {
    /** More than an operation is tried for. */
    private static final long STOP_LIMIT_SECONDS = 180;

    private final List<Maker> makers = new ArrayList<>();
    private final List<Future<?>> running = new ArrayList<>();
    private final ExecutorService threads;
    private final byte[] content;
    private volatile boolean stopping;

    /** Opens a client. */
    @FunctionalInterface
    public interface Source {
        TatamiClient connect() throws IOException;
    }

    /**
     * A place to create files in.
     *
     * @param server whose shard has the directory's files
     */
    public record Place(TatamiPath directory, int server) {}

    private record Maker(Place place, TatamiClient client, AtomicLong created, AtomicLong longestNanos) {}

    /** Begins at once; files are empty. */
    public CreateLoad(List<Place> places, Source source) throws IOException {
        this(places, source, new byte[0]);
    }

    /** Begins at once; every file has this content. */
    public CreateLoad(List<Place> places, Source source, byte[] content) throws IOException {
        this.content = content;
        threads = Executors.newFixedThreadPool(places.size(), Threads.daemons("creator"));
        for (Place place : places) {
            makers.add(new Maker(place, source.connect(), new AtomicLong(), new AtomicLong()));
        }
        makers.forEach(maker -> running.add(threads.submit(() -> {
            createUntilStopped(maker);
            return null;
        })));
    }

    private void createUntilStopped(Maker maker) throws IOException {
        while (!stopping) {
            long number = maker.created().get();
            long beganNanos = System.nanoTime();
            create(maker, maker.place().directory().child("f" + number));
            long tookNanos = System.nanoTime() - beganNanos;
            maker.longestNanos().accumulateAndGet(tookNanos, Math::max);
            maker.created().incrementAndGet();
        }
    }

    private void create(Maker maker, TatamiPath path) throws IOException {
        try (FileWriter file = maker.client().create(path, CreateSpec.DEFAULT)) {
            file.write(content, 0, content.length);
        }
    }

    /**
     * What was created so far, by the server of the directory.
     *
     * @param servers how many there are
     */
    public long[] created(int servers) throws IOException, InterruptedException {
        for (Future<?> creator : running) {
            if (creator.isDone()) {
                requireWell(creator);
            }
        }
        long[] created = new long[servers];
        for (Maker maker : makers) {
            created[maker.place().server()] += maker.created().get();
        }
        return created;
    }

    /**
     * The longest that a file took to be created and closed, of those that ended since this was asked last; 0 for none.
     */
    public long takeLongestNanos() {
        return makers.stream()
                .mapToLong(maker -> maker.longestNanos().getAndSet(0))
                .max()
                .orElse(0);
    }

    private static void requireWell(Future<?> creator) throws IOException, InterruptedException {
        try {
            creator.get();
        } catch (ExecutionException e) {
            throw new IOException("a client that creates files failed", e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        stopping = true;
        threads.shutdown();
        try {
            if (!threads.awaitTermination(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("clients that create files did not stop in " + STOP_LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while clients that create files end", e);
        } finally {
            makers.forEach(maker -> maker.client().close());
        }
    }
}
