package io.tatami.meta.log;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * A log for tests, in front of another: commits wait until the test lets them, fail when it says so, and are counted.
 * Safe for use by the group's thread and the test's.
 */
public final class SimulatedLog implements CommitLog {
    private final CommitLog behind;
    private final Semaphore permits = new Semaphore(0);
    private final Semaphore arrivals = new Semaphore(0);
    private final List<Long> indexes = new ArrayList<>();
    private volatile boolean held;
    private volatile boolean failing;

    public SimulatedLog(CommitLog behind) {
        this.behind = behind;
    }

    /** From now on each commit waits for {@link #release}. */
    public void hold() {
        held = true;
    }

    /** Waits until a commit has come that is held. */
    public void awaitCommit() {
        arrivals.acquireUninterruptibly();
    }

    /** Lets the held commit go on; later ones are not held. */
    public void release() {
        held = false;
        permits.release();
    }

    /** From now on commits fail, and nothing of them is applied. */
    public void fail() {
        failing = true;
    }

    /** The indexes that were committed. */
    public synchronized List<Long> indexes() {
        return List.copyOf(indexes);
    }

    @Override
    public void commit(LogEntry entry) throws TatamiException {
        if (held) {
            arrivals.release();
            permits.acquireUninterruptibly();
        }
        if (failing) {
            throw new TatamiException(ErrorCode.IO_ERROR, "the simulated device failed");
        }
        behind.commit(entry);
        synchronized (this) {
            Check.check(
                    indexes.isEmpty() || entry.index() == indexes.get(indexes.size() - 1) + 1,
                    "entry %d came after %s",
                    entry.index(),
                    indexes);
            indexes.add(entry.index());
        }
    }

    @Override
    public CompletableFuture<Void> confirm() {
        return behind.confirm();
    }

    @Override
    public long bytes() throws IOException {
        return behind.bytes();
    }

    @Override
    public void close() {
        behind.close();
    }
}
