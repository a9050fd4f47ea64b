package io.tatami.meta.store;

import io.tatami.base.Threads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.Env;
import org.rocksdb.HyperClockCache;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * The memory that all stores of a process share, so that it is bounded however many groups are hosted: one cache for
 * blocks, indexes and filters, to which the write buffers are charged; and the thread that fills it ahead of readers.
 * Closed after the last store.
 */
public final class StoreMemory implements AutoCloseable {
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final long ENTRIES_OF_ANY_SIZE = 0;
    private static final int SHARD_BITS_BY_SIZE = -1;
    private static final int READ_AHEAD_WAITING_MAX = 64;
    private static final long READ_AHEAD_IDLE_SECONDS = 10;

    static {
        RocksDB.loadLibrary();
    }

    private final StoreSettings settings;
    private final Cache cache;
    private final WriteBufferManager writeBuffers;
    private final BloomFilter filter = new BloomFilter(BLOOM_BITS_PER_KEY);
    private final ThreadPoolExecutor readAhead;

    public StoreMemory(StoreSettings settings) {
        this.settings = settings;
        this.cache = new HyperClockCache(settings.cacheBytes(), ENTRIES_OF_ANY_SIZE, SHARD_BITS_BY_SIZE, false);
        this.writeBuffers = new WriteBufferManager(settings.writeBuffersBytes(), cache);
        Env.getDefault().setBackgroundThreads(settings.backgroundJobs(), Priority.LOW);
        Env.getDefault().setBackgroundThreads(1, Priority.HIGH);
        this.readAhead = new ThreadPoolExecutor(
                1,
                1,
                READ_AHEAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(READ_AHEAD_WAITING_MAX),
                Threads.daemons("meta-read-ahead"));
        readAhead.allowCoreThreadTimeOut(true);
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

    /** Where stores read ahead; refuses what would wait for much else. */
    Executor readAheadThread() {
        return readAhead;
    }

    /** Bytes in use of what is shared. */
    public long usedBytes() {
        return cache.getUsage();
    }

    @Override
    public void close() {
        readAhead.shutdown();
        filter.close();
        writeBuffers.close();
        cache.close();
    }
}
