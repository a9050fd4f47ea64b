package io.tatami.meta.service;

import java.util.concurrent.CompletableFuture;

/** What a group's leader knows of its group beside the records. Safe for use by many threads. */
public interface GroupFigures {
    /** Of a group whose leader knows nothing more. */
    GroupFigures NONE = () -> CompletableFuture.completedFuture(0L);

    /**
     * What the files of the group's log take on the leader's disk, in bytes, as of at most 10 s ago. Completes with the
     * newest known number, 0 for none, where the disk does not answer within half a second.
     */
    CompletableFuture<Long> logBytes();
}
