package io.tatami.meta.log;

import io.tatami.base.TatamiException;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import java.util.concurrent.CompletableFuture;

/**
 * The log of a group with one replica: the write-ahead log of its own store, flushed to the device once for each entry. An
 * entry is durable and applied by the same write.
 */
public final class LocalLog implements CommitLog {
    private final GroupStore store;

    /** @param store stays the caller's to close */
    public LocalLog(GroupStore store) {
        this.store = store;
    }

    @Override
    public void commit(LogEntry entry) throws TatamiException {
        ProgressRecord progress = ProgressRecord.newBuilder()
                .setAppliedIndex(entry.index())
                .setLogMillis(entry.logMillis())
                .build();
        store.apply(progress, entry.changes(), GroupStore.Durability.WRITE_AHEAD_LOG);
    }

    /** There is no other replica that could lead. */
    @Override
    public CompletableFuture<Void> confirm() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        // The store holds all there is, and its owner closes it.
    }
}
