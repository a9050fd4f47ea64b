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
 * back. Who then comes to the end of what was walked over goes on in this order, and the next walk begins with the
 * first file and is twice as long, as a file's pages are read ahead.
 *
 * <p>Who reads at random in more files than a few thousand comes seldom upon the same run so often while it is
 * remembered. Safe for use by many threads.
 */
final class StoreReadAhead implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreReadAhead.class);

    /**
     * Files with successive numbers; a walk over as many reads a megabyte at most, where clients store 16 KiB inline.
     */
    private static final int RUN = 64;

    private static final int READ_BEFORE_WALK = 4;
    private static final int RUNS_A_WALK_MAX = 16;
    private static final int REMEMBERED_MAX = 256;
    private static final int ENDS_REMEMBERED_MAX = 64;
    private static final long AT_ONCE_BYTES = 1 << 20;

    private final RocksDB database;
    private final Executor executor;

    /** How many times a run's files were read; the run used last comes last. */
    private final Map<Long, Integer> reads = latest(REMEMBERED_MAX);

    /** How many runs were walked over, by the run that comes behind them. */
    private final Map<Long, Integer> ends = latest(ENDS_REMEMBERED_MAX);

    /** Held by who uses the database here. */
    private final Lock reading = new ReentrantLock();

    private boolean closed;

    /** @param executor where runs are read, one after the other; one that refuses has them not read */
    StoreReadAhead(RocksDB database, Executor executor) {
        this.database = database;
        this.executor = executor;
    }

    private static Map<Long, Integer> latest(int most) {
        return new LinkedHashMap<>(most, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Integer> eldest) {
                return size() > most;
            }
        };
    }

    /** Told of a record that was read by who may wait for the disk: mostly of one that was not in memory. */
    void noteRead(byte[] key) {
        if (Keys.isInline(key)) {
            long run = Keys.fileOfInline(key).value() / RUN;
            int runs = runsToRead(run);
            if (runs > 0) {
                try {
                    executor.execute(() -> read(run, runs));
                } catch (RejectedExecutionException e) {
                    LOG.trace("run {} is not read ahead, as others wait for it", run, e);
                }
            }
        }
    }

    /** How many, from one of which a file was read; mostly none. */
    private synchronized int runsToRead(long run) {
        int count = reads.merge(run, 1, Integer::sum);
        Integer before = ends.remove(run);
        // Again when there were more than it has: then what was brought is not there any more.
        if (before == null && count % RUN != READ_BEFORE_WALK) {
            return 0;
        }
        int runs = before == null ? 1 : Math.min(2 * before, RUNS_A_WALK_MAX);
        for (long walked = run; walked < run + runs; walked++) {
            reads.put(walked, READ_BEFORE_WALK);
        }
        ends.put(run + runs, runs);
        return runs;
    }

    /** What cannot be read is told to who asks for it. */
    private void read(long run, int runs) {
        reading.lock();
        try {
            if (!closed) {
                walk(Keys.inline(new FileId(run * RUN)), Keys.inline(new FileId((run + runs) * RUN)));
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
