package io.tatami.hadoop.stream;

import io.tatami.base.Threads;
import io.tatami.base.WaitLimit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The output streams of a file system that are not closed yet. The end of the file system closes them, as HDFS's does:
 * a program that does not close its files loses none of their bytes. Safe for use by many threads.
 */
public final class OpenStreams {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);
    private static final int THREADS = 8;

    /** How long {@link #closeAll} waits for all streams together; one may hang in a write of its program's. */
    private static final long LIMIT_SECONDS = 60;

    private volatile boolean ended;
    private final Set<TatamiOutputStream> open = ConcurrentHashMap.newKeySet();

    /** Streams that are closed when the program exits, as nothing else ends a file system of FileContext. */
    public static OpenStreams closedAtExit() {
        OpenStreams streams = new OpenStreams();
        ShutdownHookManager.get().addShutdownHook(streams::closeAndLog, FileSystem.SHUTDOWN_HOOK_PRIORITY);
        return streams;
    }

    /** @throws IOException where the file system ended meanwhile; then the stream's file is given up */
    void add(TatamiOutputStream stream) throws IOException {
        open.add(stream);
        if (ended) {
            stream.giveUp();
            requireOpen();
        }
    }

    /** @throws IOException after {@link #end} */
    void requireOpen() throws IOException {
        if (ended) {
            throw new IOException("Filesystem closed");
        }
    }

    /** After {@link #closeAll}: files that are not closed are given up, and no stream does anything more. */
    public void end() {
        ended = true;
        open.forEach(TatamiOutputStream::giveUp);
        open.clear();
    }

    void remove(TatamiOutputStream stream) {
        open.remove(stream);
    }

    private void closeAndLog() {
        try {
            closeAll();
        } catch (IOException e) {
            LOG.error("Files that were open at the exit of the program are not all closed", e);
        }
    }

    /**
     * Closes all streams, several at a time.
     *
     * @throws IOException the first failure, with the others suppressed, after every stream was tried; also where some
     *     are not closed within {@value #LIMIT_SECONDS} s, or where the thread is interrupted, which is kept
     */
    public void closeAll() throws IOException {
        List<TatamiOutputStream> streams = List.copyOf(open);
        if (streams.isEmpty()) {
            return;
        }
        ExecutorService threads =
                Executors.newFixedThreadPool(Math.min(THREADS, streams.size()), Threads.daemons("tatami-close"));
        Map<TatamiOutputStream, Future<?>> ends = new LinkedHashMap<>();
        for (TatamiOutputStream stream : streams) {
            ends.put(stream, threads.submit(() -> {
                stream.close();
                return null;
            }));
        }
        threads.shutdown();
        List<Throwable> failures = failuresOf(ends);
        if (!failures.isEmpty()) {
            throw together(failures);
        }
    }

    private static List<Throwable> failuresOf(Map<TatamiOutputStream, Future<?>> ends) {
        List<Throwable> failures = new ArrayList<>();
        WaitLimit limit = WaitLimit.ofMillis(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        for (Map.Entry<TatamiOutputStream, Future<?>> end : ends.entrySet()) {
            try {
                end.getValue().get(Math.max(0, limit.leftNanos()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                failures.add(e.getCause() == null ? e : e.getCause());
            } catch (TimeoutException e) {
                failures.add(new IOException(end.getKey() + " is not closed after " + LIMIT_SECONDS + " s", e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failures.add(new IOException("interrupted before " + end.getKey() + " was closed", e));
                break;
            }
        }
        return failures;
    }

    private static IOException together(List<Throwable> failures) {
        Throwable first = failures.get(0);
        @Nullable IOException known = first instanceof IOException io ? io : null;
        IOException told = known == null ? new IOException("a file could not be closed: " + first, first) : known;
        failures.stream().skip(1).filter(other -> other != told).forEach(told::addSuppressed);
        return told;
    }
}
