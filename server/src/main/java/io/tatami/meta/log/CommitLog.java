package io.tatami.meta.log;

import io.tatami.base.TatamiException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Makes a group's entries durable, in order, and applies them to its store. Used by the group's thread. One entry is in
 * flight at a time, because the next one is decided on the state that it leaves.
 */
public interface CommitLog extends AutoCloseable {
    /**
     * Returns when the entry is durable on as many replicas as the group needs, and applied here.
     *
     * @throws TatamiException the outcome is unknown until the group is opened again; the log takes no further entry
     */
    void commit(LogEntry entry) throws TatamiException;

    /**
     * Completes when it is known that no other replica led the group at the time of the call. The store then has the
     * newest state that any client was told of. May be called by any thread; calls that wait at the same time share one
     * round. Fails with NOT_LEADER or UNAVAILABLE, and always after a failed commit.
     */
    CompletableFuture<Void> confirm();

    /**
     * What the log's files take on this server's disk, in bytes, with what is allocated for entries to come. May be
     * called by any thread, and waits for the disk.
     */
    long bytes() throws IOException;

    @Override
    void close();
}
