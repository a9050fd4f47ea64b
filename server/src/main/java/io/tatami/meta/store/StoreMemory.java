package io.tatami.meta.store;

import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.Env;
import org.rocksdb.HyperClockCache;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * The memory that all stores of a process share, so that it is bounded however many groups are hosted: one cache for
 * blocks, indexes and filters, to which the write buffers are charged. Closed after the last store.
 */
public final class StoreMemory implements AutoCloseable {
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final long ENTRIES_OF_ANY_SIZE = 0;
    private static final int SHARD_BITS_BY_SIZE = -1;

    static {
        RocksDB.loadLibrary();
    }

    private final StoreSettings settings;
    private final Cache cache;
    private final WriteBufferManager writeBuffers;
    private final BloomFilter filter = new BloomFilter(BLOOM_BITS_PER_KEY);

    public StoreMemory(StoreSettings settings) {
        this.settings = settings;
        this.cache = new HyperClockCache(settings.cacheBytes(), ENTRIES_OF_ANY_SIZE, SHARD_BITS_BY_SIZE, false);
        this.writeBuffers = new WriteBufferManager(settings.writeBuffersBytes(), cache);
        Env.getDefault().setBackgroundThreads(settings.backgroundJobs(), Priority.LOW);
        Env.getDefault().setBackgroundThreads(1, Priority.HIGH);
    }

    StoreSettings settings() {
        return settings;
    }

    Cache cache() {
        return cache;
    }

    WriteBufferManager writeBuffers() {
        return writeBuffers;
    }

    BloomFilter filter() {
        return filter;
    }

    /** Bytes in use of what is shared. */
    public long usedBytes() {
        return cache.getUsage();
    }

    @Override
    public void close() {
        filter.close();
        writeBuffers.close();
        cache.close();
    }
}
