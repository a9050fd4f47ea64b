package io.tatami.meta.store;

import io.tatami.meta.state.View;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/** A walk over a range of a store; owns its native iterator and the bound it was made with. */
final class StoreCursor implements View.Cursor {
    private final Slice upperBound;
    private final ReadOptions options;
    private final RocksIterator iterator;
    private boolean started;
    private final byte[] from;

    StoreCursor(RocksDB database, ReadOptions base, byte[] from, byte[] to) {
        this.from = from;
        this.upperBound = new Slice(to);
        this.options = new ReadOptions(base).setIterateUpperBound(upperBound);
        this.iterator = database.newIterator(options);
    }

    @Override
    public boolean next() {
        if (started) {
            iterator.next();
        } else {
            iterator.seek(from);
            started = true;
        }
        if (iterator.isValid()) {
            return true;
        }
        try {
            iterator.status();
        } catch (RocksDBException e) {
            throw StoreErrors.unchecked("a scan failed", e);
        }
        return false;
    }

    @Override
    public byte[] key() {
        return iterator.key();
    }

    @Override
    public byte[] value() {
        return iterator.value();
    }

    @Override
    public void close() {
        iterator.close();
        options.close();
        upperBound.close();
    }
}
