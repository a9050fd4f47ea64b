package io.tatami.block.cache;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that stages for a {@link CacheTier}, until it is closed. */
public final class Stager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stager.class);
    private static final long WAIT_MILLIS = 1_000;

    /** A device that hangs keeps the thread until the process ends. */
    private static final long CLOSE_MILLIS = 10_000;

    private final CacheTier tier;
    private final Thread thread;
    private volatile boolean closed;

    public Stager(CacheTier tier) {
        this.tier = tier;
        this.thread = new Thread(this::run, "cache-stager");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                tier.stageNext(WAIT_MILLIS);
            } catch (RuntimeException e) {
                LOG.error("staging failed", e);
            }
        }
    }

    /** Lets the run of units under way end, and closes the tier. */
    @Override
    public void close() throws TatamiException {
        closed = true;
        tier.end();
        if (!Threads.joinUninterrupted(thread, CLOSE_MILLIS)) {
            LOG.warn("what is being staged does not end");
        }
        tier.close();
    }
}
