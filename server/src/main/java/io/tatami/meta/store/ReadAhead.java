package io.tatami.meta.store;

import io.tatami.base.FileId;
import io.tatami.meta.state.Keys;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the bytes of small files into the store's cache before they are asked for. Files that were made one after the
 * other are mostly read so, by many readers at about the same place, and lie in this order: once a few of a run of
 * {@link #RUN} were read by who may wait for the disk, as they were not in memory, all of the run are read in one walk.
 * One after the other each would take a search through the tables, and go to a thread that may wait for the disk and
 * back.
 *
 * <p>Who reads at random in more files than a few thousand comes seldom upon the same run so often while it is
 * remembered. Safe for use by many threads.
 */
final class ReadAhead implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);

    /** Files with successive numbers; a walk over as many reads up to a few megabytes. */
    private static final int RUN = 64;

    private static final int READ_BEFORE_WALK = 4;
    private static final int REMEMBERED_MAX = 256;
    private static final long AT_ONCE_BYTES = 1 << 20;

    private final RocksDB database;
    private final Executor executor;

    /** How many times a run's files were read; the run used last comes last. */
    private final Map<Long, Integer> reads = new LinkedHashMap<>(REMEMBERED_MAX, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Integer> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    /** Held by who uses the database here. */
    private final Lock reading = new ReentrantLock();

    private boolean closed;

    /** @param executor where runs are read, one after the other; one that refuses has them not read */
    ReadAhead(RocksDB database, Executor executor) {
        this.database = database;
        this.executor = executor;
    }

    /** Told of a record that was read by who may wait for the disk: mostly of one that was not in memory. */
    void noteRead(byte[] key) {
        if (Keys.isInline(key)) {
            long run = Keys.fileOfInline(key).value() / RUN;
            // Again when there were more than it has: then what was brought is not there any more.
            if (count(run) % RUN == READ_BEFORE_WALK) {
                try {
                    executor.execute(() -> read(run));
                } catch (RejectedExecutionException e) {
                    LOG.trace("run {} is not read ahead, as others wait for it", run, e);
                }
            }
        }
    }

    private synchronized int count(long run) {
        return reads.merge(run, 1, Integer::sum);
    }

    /** What cannot be read is told to who asks for it. */
    private void read(long run) {
        reading.lock();
        try {
            if (!closed) {
                walk(Keys.inline(new FileId(run * RUN)), Keys.inline(new FileId((run + 1) * RUN)));
            }
        } finally {
            reading.unlock();
        }
    }

    private void walk(byte[] from, byte[] to) {
        try (Slice bound = new Slice(to);
                ReadOptions options =
                        new ReadOptions().setIterateUpperBound(bound).setReadaheadSize(AT_ONCE_BYTES);
                RocksIterator iterator = database.newIterator(options)) {
            iterator.seek(from);
            while (iterator.isValid()) {
                iterator.next();
            }
        }
    }

    /** Waits for what is being read; nothing more is. */
    @Override
    public void close() {
        reading.lock();
        closed = true;
        reading.unlock();
    }
}
