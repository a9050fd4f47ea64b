package io.tatami.meta.store;

import io.tatami.meta.state.View;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/**
 * A group's records as of one batch. Keeps the store open, and old records on disk, until it is closed; used and closed
 * by one thread at a time.
 */
public final class StoreSnapshot implements AutoCloseable {
    private final GroupStore store;
    private final Snapshot snapshot;
    private final ReadOptions options;

    StoreSnapshot(GroupStore store, Snapshot snapshot) {
        this.store = store;
        this.snapshot = snapshot;
        this.options = new ReadOptions().setSnapshot(snapshot);
    }

    public View view() {
        return new StoreView(store.database(), options, store.ahead());
    }

    @Override
    public void close() {
        options.close();
        store.release(snapshot);
    }
}
