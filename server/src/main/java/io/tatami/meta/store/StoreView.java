package io.tatami.meta.store;

import io.tatami.meta.state.ReadMustWaitException;
import io.tatami.meta.state.View;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Reads a database with given options; those decide whether it sees a snapshot or whatever is newest. */
final class StoreView implements View {
    private final RocksDB database;
    private final ReadOptions options;
    private final @Nullable StoreReadAhead ahead;

    /** @param ahead told of what is read; null where the options let reads look at memory alone */
    StoreView(RocksDB database, ReadOptions options, @Nullable StoreReadAhead ahead) {
        this.database = database;
        this.options = options;
        this.ahead = ahead;
    }

    /** @throws ReadMustWaitException where the options let it look at memory alone, and that does not tell */
    @Override
    public byte @Nullable [] get(byte[] key) {
        try {
            byte[] value = database.get(options, key);
            if (ahead != null && value != null) {
                ahead.noteRead(key);
            }
            return value;
        } catch (RocksDBException e) {
            if (StoreErrors.isIncomplete(e)) {
                throw new ReadMustWaitException(true);
            }
            throw StoreErrors.unchecked("a read failed", e);
        }
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        return new StoreCursor(database, options, from, to);
    }
}
