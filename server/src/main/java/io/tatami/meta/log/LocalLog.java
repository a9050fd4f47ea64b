package io.tatami.meta.log;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import java.util.concurrent.CompletableFuture;

/**
 * The log of a group with one replica: the write-ahead log of its own store, flushed to the device once for each entry.
 * An entry is durable and applied by the same write.
 */
public final class LocalLog implements CommitLog {
    private final GroupStore store;

    /** @param store stays the caller's to close */
    public LocalLog(GroupStore store) {
        this.store = store;
    }

    /** @throws TatamiException also UNSUPPORTED, where the group is replicated since */
    @Override
    public void commit(LogEntry entry) throws TatamiException {
        ProgressRecord before = store.progress();
        if (before.getReplicated()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "this store is a replica of a group with a replicated log and takes changes from there only; open"
                            + " the group by that");
        }
        ProgressRecord progress = ProgressRecord.newBuilder()
                .setAppliedIndex(entry.index())
                .setLogMillis(entry.logMillis())
                .setStateHash(StateHash.after(before.getStateHash(), entry))
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
