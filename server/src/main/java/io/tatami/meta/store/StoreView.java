package io.tatami.meta.store;

import io.tatami.meta.state.NotInMemoryException;
import io.tatami.meta.state.View;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Reads a store with given options; those decide whether it sees a snapshot or whatever is newest. Where they let it
 * look at memory alone, it throws {@link NotInMemoryException} for what would be read from the disk, and for walks.
 */
final class StoreView implements View {
    private final RocksDB database;
    private final ReadOptions options;
    private final boolean inMemory;

    StoreView(RocksDB database, ReadOptions options) {
        this.database = database;
        this.options = options;
        this.inMemory = options.readTier() == ReadTier.BLOCK_CACHE_TIER;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        try {
            return database.get(options, key);
        } catch (RocksDBException e) {
            if (inMemory && StoreErrors.isIncomplete(e)) {
                throw new NotInMemoryException();
            }
            throw StoreErrors.unchecked("a read failed", e);
        }
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        if (inMemory) {
            throw new NotInMemoryException();
        }
        return new StoreCursor(database, options, from, to);
    }
}
