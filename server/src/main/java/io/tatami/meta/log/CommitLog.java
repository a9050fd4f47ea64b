package io.tatami.meta.log;

import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;

/**
 * Makes a group's entries durable, in order, and has them applied to its store. Used by the group's thread; one entry
 * is in flight at a time, because the next one is decided on the state that this one leaves.
 */
public interface CommitLog extends AutoCloseable {
    /**
     * Returns once the entry is durable and applied, both, on as many replicas as the group needs.
     *
     * @throws TatamiException nothing is known of the entry until the group is opened again; the log takes no further
     *     one
     */
    void commit(LogEntry entry) throws TatamiException;

    /**
     * Completes once it is known that nobody else led the group when this was called: what the store holds then is the
     * newest that anybody was told of. May be called by any thread; callers that come while others wait share a round.
     * Fails with NOT_LEADER or UNAVAILABLE, and always after a commit that failed.
     */
    CompletableFuture<Void> confirm();

    @Override
    void close();
}
