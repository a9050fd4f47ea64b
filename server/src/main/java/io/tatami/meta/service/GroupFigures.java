package io.tatami.meta.service;

import java.util.concurrent.CompletableFuture;

/** What a group's leader knows of its group beside the records. Safe for use by many threads. */
public interface GroupFigures {
    /** Of a group whose leader knows nothing more. */
    GroupFigures NONE = new GroupFigures() {
        @Override
        public CompletableFuture<Long> logBytes() {
            return CompletableFuture.completedFuture(0L);
        }

        @Override
        public long changeMicrosP99() {
            return 0;
        }
    };

    /**
     * What the files of the group's log take on the leader's disk, in bytes, as of at most 10 s ago. Completes with the
     * newest known number, 0 for none, where the disk does not answer within half a second.
     */
    CompletableFuture<Long> logBytes();

    /**
     * Of the changes that this leader has made in the last 30 to 60 s: from the arrival at the group's thread until the
     * change was durable and applied, the 99th percentile in microseconds, at most an eighth too large. 0 where nothing
     * was changed, else at least 1.
     */
    long changeMicrosP99();
}
