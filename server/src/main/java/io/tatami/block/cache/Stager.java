package io.tatami.block.cache;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that stage for a {@link CacheTier}, one from each volume so that none waits for another, until it is closed.
 */
public final class Stager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stager.class);
    private static final long WAIT_MILLIS = 1_000;

    /** A device that hangs keeps its thread until the process ends. */
    private static final long CLOSE_MILLIS = 10_000;

    private final CacheTier tier;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    /** @param volumeCount how many volumes the tier's source has */
    public Stager(CacheTier tier, int volumeCount) {
        this.tier = tier;
        for (int number = 0; number < volumeCount; number++) {
            int volume = number;
            Thread thread = new Thread(() -> run(volume), "cache-stager-" + volume);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void run(int volume) {
        while (!closed) {
            try {
                tier.stageNext(volume, WAIT_MILLIS);
            } catch (RuntimeException e) {
                LOG.error("staging failed", e);
            }
        }
    }

    /** Lets the runs of units under way end, for a bounded time, and closes the tier. */
    @Override
    public void close() throws TatamiException {
        closed = true;
        tier.end();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        for (Thread thread : threads) {
            long leftMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()));
            if (!Threads.joinUninterrupted(thread, leftMillis)) {
                LOG.warn("what {} stages does not end", thread.getName());
            }
        }
        tier.close();
    }
}
