package io.tatami.meta.store;

import io.tatami.meta.state.View;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Reads a store with given options; those decide whether it sees a snapshot or whatever is newest. */
final class StoreView implements View {
    private final RocksDB database;
    private final ReadOptions options;

    StoreView(RocksDB database, ReadOptions options) {
        this.database = database;
        this.options = options;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        try {
            return database.get(options, key);
        } catch (RocksDBException e) {
            throw StoreErrors.unchecked("a read failed", e);
        }
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        return new StoreCursor(database, options, from, to);
    }
}
