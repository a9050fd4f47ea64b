package io.tatami.meta.store;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.files.RocksLogCheck;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ReadMustWaitException;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ProgressRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one group, in a RocksDB of its own with one column family. One thread applies entries; any thread may
 * take snapshots. The first error of a write, a flush or a compaction stops the store for good, because the content of
 * the device is then unknown. Nothing is retried.
 *
 * <p>Entries are durable in the group's log. A crash takes the newest entries from the store, whole and with their
 * index, and they are applied again. So the store may hold the newest changes in memory ({@link UnwrittenChanges}).
 * Before the database is read at their keys, it is given the last value of each record.
 *
 * <p>Native handles are counted: {@link #close} gives up the owner's share, and the last snapshot to be closed ends the
 * rest.
 */
public final class GroupStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupStore.class);
    private static final byte[] PROGRESS = Keys.singleton("progress");

    private final Path directory;
    private final RocksDB database;
    private final StoreReadAhead ahead;
    private final Options options;
    private final ErrorWatch watch;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final ReadOptions newest = new ReadOptions();
    private final ReadOptions inMemory = new ReadOptions().setReadTier(ReadTier.BLOCK_CACHE_TIER);
    private final WriteBatch batch = new WriteBatch();
    private final AtomicInteger shares = new AtomicInteger(1);
    private final UnwrittenChanges unwritten = new UnwrittenChanges();
    private final SingletonRecords singletons = new SingletonRecords(PROGRESS);

    /** The layers over the database. */
    private final View applied;

    private final View appliedInMemory;

    /**
     * Held for writing while an entry is applied. A read that does not wait uses it to see the state between two
     * entries.
     */
    private final StampedLock applying = new StampedLock();

    /** Held while changes are given to the database; its holder owns the write batch and their order. */
    private final Lock writing = new ReentrantLock();

    private volatile ProgressRecord progress;

    private final AtomicLong applyNanos = new AtomicLong();

    private GroupStore(Path directory, RocksDB database, StoreReadAhead ahead, Options options, ErrorWatch watch)
            throws TatamiException {
        this.directory = directory;
        this.database = database;
        this.ahead = ahead;
        this.options = options;
        this.watch = watch;
        this.applied = singletons.over(unwritten.over(new StoreView(database, newest, ahead)));
        this.appliedInMemory = singletons.over(unwritten.over(new StoreView(database, inMemory, null)));
        this.progress = readProgress();
    }

    /**
     * Creates the store of a new group. The directory must be absent or have no store.
     *
     * @throws TatamiException IO_ERROR or NO_SPACE
     */
    public static GroupStore create(Path directory, StoreMemory memory) throws TatamiException {
        return open(directory, memory, true);
    }

    /**
     * Opens an existing store. It may lack the newest entries after a crash.
     *
     * @throws TatamiException CORRUPT if anything but the torn end is damaged; IO_ERROR if there is no store, or
     *     another process has it open
     */
    public static GroupStore open(Path directory, StoreMemory memory) throws TatamiException {
        requireSoundLogs(directory);
        return open(directory, memory, false);
    }

    /**
     * Throws if RocksDB's logs are damaged in a way that RocksDB takes for a torn end: it would drop acknowledged
     * records behind the damage.
     */
    private static void requireSoundLogs(Path directory) throws TatamiException {
        List<String> damages;
        try {
            damages = RocksLogCheck.findDamage(directory);
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "cannot read the logs in " + directory + ": " + Causes.inWords(e), e);
        }
        if (!damages.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "the metadata store " + directory + " is damaged: " + String.join("; ", damages)
                            + "; restore it from a backup");
        }
    }

    /**
     * {@link #open(Path, StoreMemory)}, or {@link #create} if there is no store; only if all its content can be
     * restored from elsewhere.
     */
    public static GroupStore openOrCreate(Path directory, StoreMemory memory) throws TatamiException {
        return Files.exists(directory.resolve("CURRENT")) ? open(directory, memory) : create(directory, memory);
    }

    private static GroupStore open(Path directory, StoreMemory memory, boolean create) throws TatamiException {
        ErrorWatch watch = new ErrorWatch(directory);
        Options options = StoreOptions.of(memory, watch, create);
        try {
            RocksDB database = RocksDB.open(options, directory.toString());
            return new GroupStore(
                    directory, database, new StoreReadAhead(database, memory.readAheadThread()), options, watch);
        } catch (RocksDBException e) {
            options.close();
            watch.close();
            throw StoreErrors.of("cannot open the metadata store " + directory, e);
        }
    }

    /** The progress after the last applied entry. */
    public ProgressRecord progress() {
        return progress;
    }

    /** The index of the last entry applied; 0 before the first. */
    public long appliedIndex() {
        return progress.getAppliedIndex();
    }

    /** The log time of the last entry applied. */
    public long logMillis() {
        return progress.getLogMillis();
    }

    /**
     * A view of the newest state at each read, for the thread that applies. A walk over a range shows the state at its
     * begin.
     */
    public View liveView() {
        return new View() {
            @Override
            public byte @Nullable [] get(byte[] key) {
                return applied.get(key);
            }

            @Override
            public Cursor scan(byte[] from, byte[] to) {
                try {
                    writeOut();
                } catch (TatamiException e) {
                    throw new UncheckedIOException(e);
                }
                return applied.scan(from, to);
            }
        };
    }

    /**
     * A view of the applied state, for a thread that must not wait. A read throws {@link ReadMustWaitException} if it
     * would need the disk, or if another entry was applied since; a walk always does. The store stays open while the
     * view is used.
     *
     * @return null if an entry is being applied at this moment
     * @throws TatamiException UNAVAILABLE after the store has failed
     */
    public @Nullable View memoryOnlyView() throws TatamiException {
        return ofThisMoment(appliedInMemory);
    }

    /** {@link #memoryOnlyView} for a thread that may wait for the store's files. */
    public @Nullable View optimisticView() throws TatamiException {
        return ofThisMoment(applied);
    }

    private @Nullable View ofThisMoment(View view) throws TatamiException {
        requireHealthy();
        long moment = applying.tryOptimisticRead();
        if (moment == 0) {
            return null;
        }
        return new View() {
            @Override
            public byte @Nullable [] get(byte[] key) {
                byte[] value = view.get(key);
                if (!applying.validate(moment)) {
                    throw new ReadMustWaitException(false);
                }
                return value;
            }

            @Override
            public Cursor scan(byte[] from, byte[] to) {
                throw new ReadMustWaitException(false);
            }
        };
    }

    /**
     * A snapshot of the applied state.
     *
     * @throws TatamiException UNAVAILABLE after the store was closed or has failed
     */
    public StoreSnapshot snapshot() throws TatamiException {
        requireHealthy();
        if (shares.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the metadata store " + directory + " is closed");
        }
        try {
            writeOut();
            return new StoreSnapshot(this, database.getSnapshot());
        } catch (TatamiException e) {
            releaseShare();
            throw e;
        }
    }

    /**
     * Applies one entry with its index, atomically: after a crash the store has all of it or nothing.
     *
     * @param next must be the entry after the last one applied
     * @throws TatamiException the store failed, and stays stopped
     */
    public void apply(ProgressRecord next, Map<byte[], Draft.Change> changes) throws TatamiException {
        requireHealthy();
        Check.check(
                next.getAppliedIndex() == appliedIndex() + 1,
                "entry %d was decided at another state than %d",
                next.getAppliedIndex(),
                appliedIndex());
        changes.keySet().forEach(GroupStore::requireStored);
        CrashPoint.hit("meta.apply.before-write");
        long begunNanos = Clock.SYSTEM.monotonicNanos();
        if (add(next, changes)) {
            writeOut();
        }
        applyNanos.addAndGet(Clock.SYSTEM.monotonicNanos() - begunNanos);
        CrashPoint.hit("meta.apply.after-write");
    }

    /**
     * How long applying has taken since the store was opened, in nanoseconds; for metrics and the log of slow calls.
     */
    public long applyNanos() {
        return applyNanos.get();
    }

    /** Volatile records are only in a leader's memory, and the store alone writes its progress. */
    private static void requireStored(byte[] key) {
        Check.check(
                !Keys.isVolatile(key) && !Arrays.equals(key, PROGRESS),
                "an entry of the log changes a record of the kind '%s' that no log has",
                (char) key[0]);
    }

    /** Returns true if enough changes are held in memory to write them out. */
    private boolean add(ProgressRecord next, Map<byte[], Draft.Change> changes) {
        long stamp = applying.writeLock();
        try {
            boolean isFull = unwritten.add(next, changes);
            singletons.changed(changes);
            // Not earlier: a flush takes this progress as the state that is written out.
            progress = next;
            return isFull;
        } finally {
            applying.unlockWrite(stamp);
        }
    }

    /** Gives the database the changes applied before the call, in one write. */
    private void writeOut() throws TatamiException {
        if (unwritten.isEmpty()) {
            return;
        }
        writing.lock();
        try {
            UnwrittenChanges.Portion portion = unwritten.begin();
            if (portion == null) {
                return;
            }
            batch.clear();
            for (Map.Entry<byte[], Draft.Change> change : portion.changes().entrySet()) {
                byte[] value = change.getValue().value();
                if (value == null) {
                    batch.delete(change.getKey());
                } else {
                    batch.put(change.getKey(), value);
                }
            }
            batch.put(PROGRESS, portion.progress().toByteArray());
            database.write(unlogged, batch);
            unwritten.end();
        } catch (RocksDBException e) {
            throw watch.fail(StoreErrors.of("a write to the metadata store " + directory + " failed", e));
        } finally {
            writing.unlock();
        }
    }

    /**
     * Writes the applied state into a directory, which must be absent, as a store of its own. Its tables are hard links
     * to this store's if both are on one file system. Called by the thread that applies.
     *
     * @return the progress of the copy; all of it is durable, except the directory's own name
     * @throws TatamiException the store failed, and stays stopped
     */
    public ProgressRecord checkpoint(Path copy) throws TatamiException {
        ProgressRecord copied = progress;
        flush(true);
        try (Checkpoint checkpoint = Checkpoint.create(database)) {
            checkpoint.createCheckpoint(copy.toString());
        } catch (RocksDBException e) {
            throw watch.fail(StoreErrors.of("cannot copy the metadata store " + directory + " to " + copy, e));
        }
        return copied;
    }

    /**
     * Begins to write out the changes that are only in memory, on a thread of the store. May wait if the store has much
     * to write already.
     *
     * @throws TatamiException the store failed, and stays stopped
     */
    public void flushSoon() throws TatamiException {
        flush(false);
    }

    /**
     * Writes out everything applied before the call, and returns when it is durable. May be called by any thread.
     *
     * @throws TatamiException the store failed, and stays stopped
     */
    public void flush() throws TatamiException {
        flush(true);
    }

    private void flush(boolean waits) throws TatamiException {
        requireHealthy();
        writeOut();
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(waits)) {
            database.flush(flush);
        } catch (RocksDBException e) {
            throw watch.fail(StoreErrors.of("cannot write out the metadata store " + directory, e));
        }
    }

    /**
     * Reads everything and verifies its checksums.
     *
     * @throws TatamiException CORRUPT or IO_ERROR
     */
    public void verify() throws TatamiException {
        try {
            database.verifyChecksum();
        } catch (RocksDBException e) {
            throw StoreErrors.of("the metadata store " + directory + " is not sound", e);
        }
    }

    /**
     * Records durably, with all applied state, that the group's log is a replicated one from now on. Called by the
     * thread that applies.
     *
     * @throws TatamiException the store failed, and stays stopped
     */
    public void seal() throws TatamiException {
        note(progress.toBuilder().setReplicated(true).build());
    }

    /**
     * Records durably, with all applied state, whether a log beside the store may have entries that the store lacks. A
     * store with this mark is not served without its log. Called by the thread that applies.
     *
     * @throws TatamiException the store failed, and stays stopped
     */
    public void setLoggedBeside(boolean isLogged) throws TatamiException {
        note(progress.toBuilder().setLoggedBeside(isLogged).build());
    }

    private void note(ProgressRecord noted) throws TatamiException {
        flush();
        try {
            database.put(synced, PROGRESS, noted.toByteArray());
        } catch (RocksDBException e) {
            throw watch.fail(StoreErrors.of("a write to the metadata store " + directory + " failed", e));
        }
        progress = noted;
    }

    /** The reason why the store stopped; null while it works. */
    @Nullable
    TatamiException failure() {
        return watch.failure();
    }

    RocksDB database() {
        return database;
    }

    StoreReadAhead ahead() {
        return ahead;
    }

    void release(Snapshot snapshot) {
        database.releaseSnapshot(snapshot);
        snapshot.close();
        releaseShare();
    }

    private void requireHealthy() throws TatamiException {
        TatamiException failure = watch.failure();
        if (failure != null) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE, "the metadata store has stopped: " + failure.getMessage(), failure);
        }
    }

    private ProgressRecord readProgress() throws TatamiException {
        try {
            byte[] value = database.get(PROGRESS);
            return value == null ? ProgressRecord.getDefaultInstance() : ProgressRecord.parseFrom(value);
        } catch (RocksDBException e) {
            throw StoreErrors.of("cannot read the metadata store " + directory, e);
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.CORRUPT, "the last applied index of " + directory + " is damaged", e);
        }
    }

    private void releaseShare() {
        if (shares.decrementAndGet() == 0) {
            batch.close();
            newest.close();
            inMemory.close();
            synced.close();
            unlogged.close();
            database.close();
            options.close();
            watch.close();
        }
    }

    /** Called once by the owner, when no thread applies any more. Applied changes are written out, if possible. */
    @Override
    public void close() {
        ahead.close();
        if (watch.failure() == null) {
            try {
                writeOut();
            } catch (TatamiException e) {
                LOG.warn("{} is closed without its newest entries, which are in the group's log", directory, e);
            }
        }
        releaseShare();
    }
}
