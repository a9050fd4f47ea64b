package io.tatami.block.service;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a block server that may wait for a disk or for another server; event loops never do. They are never
 * interrupted, for an interrupt would close the volumes' files.
 */
final class ServerThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerThreads.class);
    private static final long IDLE_SECONDS = 30;
    private static final long CLOSE_LIMIT_SECONDS = 30;

    private final ThreadPoolExecutor writers;
    private final ThreadPoolExecutor readers;
    private final ExecutorService commands;
    private final ScheduledExecutorService housekeeping;

    ServerThreads(BlockServerSettings settings) {
        // As many threads as write sessions at most: each has one task here at a time, and their number is limited.
        writers = pool("block-writer", 0, Integer.MAX_VALUE, new SynchronousQueue<>());
        writers.setRejectedExecutionHandler(ServerThreads::dropLateEvent);
        readers = pool("block-reader", settings.readThreads(), settings.readThreads(), new LinkedBlockingQueue<>());
        readers.setRejectedExecutionHandler(ServerThreads::dropLateEvent);
        commands = pool(
                "block-command",
                settings.commandThreads(),
                settings.commandThreads(),
                new ArrayBlockingQueue<>(settings.commandsMax()));
        housekeeping = new ScheduledThreadPoolExecutor(1, named("block-housekeeping"));
    }

    /** For the workers of write sessions. */
    Executor writers() {
        return writers;
    }

    /** For the turns of read sessions, each of which waits here once at most. */
    Executor readers() {
        return readers;
    }

    /** One thread for what happens by itself. */
    Executor housekeeping() {
        return housekeeping;
    }

    /** Runs {@code task} on the housekeeping thread, again and again; a failure of it is logged and the next run comes. */
    void every(long millis, Runnable task) {
        ScheduledFuture<?> unused = housekeeping.scheduleWithFixedDelay(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException e) {
                        LOG.error("housekeeping failed", e);
                    }
                },
                millis,
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** @throws TatamiException BUSY where too many commands wait already, UNAVAILABLE where the server is stopping */
    void command(Runnable command) throws TatamiException {
        try {
            commands.execute(command);
        } catch (RejectedExecutionException e) {
            throw commands.isShutdown()
                    ? new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping", e)
                    : new TatamiException(ErrorCode.BUSY, "too many commands wait for the disks", e);
        }
    }

    /** Lets what was begun finish. */
    @Override
    public void close() {
        housekeeping.shutdown();
        commands.shutdown();
        writers.shutdown();
        readers.shutdown();
        boolean interrupted = false;
        for (ExecutorService pool : new ExecutorService[] {housekeeping, commands, writers, readers}) {
            try {
                if (!interrupted && !pool.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("threads of the block server do not end");
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a connection still says of a stream after the server has ended them all; nobody has to act on it. */
    private static void dropLateEvent(Runnable event, ThreadPoolExecutor pool) {
        LOG.debug("{} came after the server had stopped", event);
    }

    private static ThreadPoolExecutor pool(String name, int least, int most, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(least, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, named(name));
        if (least > 0) {
            pool.allowCoreThreadTimeOut(true);
        }
        return pool;
    }

    private static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
