package io.tatami.meta.service.lead;

import io.tatami.base.GroupId;

/**
 * Is told of each batch that a group of this process has decided, for its metrics. Called on the threads of the groups:
 * it must not block, and every batch waits for it.
 */
@FunctionalInterface
public interface GroupObserver {
    /** Of a server that nobody watches. */
    GroupObserver NONE = (group, requests, decideNanos, commitNanos) -> {};

    /**
     * A batch is durable and applied, and its requests are about to be answered.
     *
     * @param requests in the batch, refused ones included
     * @param commitNanos for the log and the store; for a batch without changes, for the confirmation that this replica
     *     leads
     */
    void decided(GroupId group, int requests, long decideNanos, long commitNanos);
}
