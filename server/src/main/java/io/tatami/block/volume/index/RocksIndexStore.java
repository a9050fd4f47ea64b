package io.tatami.block.volume.index;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.SystemErrorText;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import io.tatami.files.DurableFile;
import io.tatami.files.RocksLogCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileReader;
import org.rocksdb.Status;
import org.rocksdb.UInt64AddOperator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A RocksDB with one column family, every batch synced to its write-ahead log before it is acknowledged. Errors in the
 * background stop the volume and are never resumed from: RocksDB would otherwise acknowledge again after a log that is
 * known to have a hole. Recovery accepts a torn end of the log, which nobody was told of, and nothing else: what
 * RocksDB would take for one is looked at before it is opened, see {@link RocksLogCheck}.
 *
 * <p>Calls hold the read side of a lock whose write side {@link #close()} takes, so that no native object is freed
 * under a call. The objects that options refer to outlive the database and are closed after it.
 */
public final class RocksIndexStore implements IndexStore {
    private static final long WRITE_BUFFER_BYTES = 8L << 20;
    private static final long WAL_BYTES_MAX = 64L << 20;
    private static final long CACHE_BYTES = 16L << 20;
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final int INFO_LOGS_MAX = 4;
    private static final int BACKGROUND_JOBS = 2;

    private final Path directory;

    /** Kept, as each new block asks it: to find it takes a walk over all that is mounted. */
    private final FileStore fileSystem;

    private final LRUCache cache = new LRUCache(CACHE_BYTES);
    private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY, false);
    private final UInt64AddOperator adding = new UInt64AddOperator();
    private final Options options = new Options();
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final ReadOptions scanning = new ReadOptions().setFillCache(false).setVerifyChecksums(true);
    private final AbstractEventListener listener;
    private final RocksDB db;
    private final ReadWriteLock openLock = new ReentrantReadWriteLock();
    private boolean closed;

    static {
        RocksDB.loadLibrary();
    }

    private RocksIndexStore(Path directory, boolean create, FailStop failStop) throws TatamiException {
        this.directory = directory;
        this.listener = new StoppingListener(failStop);
        configure(create);
        try {
            fileSystem = Files.getFileStore(directory);
            db = RocksDB.open(options, directory.toString());
        } catch (IOException e) {
            closeOptions();
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot list " + directory + ": " + e.getMessage(), e);
        } catch (RocksDBException e) {
            closeOptions();
            throw openFailed(directory, e);
        }
    }

    /**
     * Makes an empty store in a directory that is empty or does not exist.
     *
     * @throws TatamiException ALREADY_EXISTS or IO_ERROR
     */
    public static RocksIndexStore create(Path directory, FailStop failStop) throws TatamiException {
        try {
            Files.createDirectories(directory);
            DurableFile.syncDirectory(directory.toAbsolutePath().resolveSibling("."));
            try (var children = Files.list(directory)) {
                if (children.findAny().isPresent()) {
                    throw new TatamiException(
                            ErrorCode.ALREADY_EXISTS,
                            "the directory of the block index, " + directory
                                    + ", is not empty; remove it, or choose another");
                }
            }
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot create " + directory + ": " + e.getMessage(), e);
        }
        return new RocksIndexStore(directory, true, failStop);
    }

    /** @throws TatamiException NOT_FOUND, IN_USE, CORRUPT or IO_ERROR */
    public static RocksIndexStore open(Path directory, FailStop failStop) throws TatamiException {
        if (!isMade(directory)) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND,
                    "there is no block index in " + directory
                            + "; use the directory that was given to 'format'. Without it the volume's blocks are lost:"
                            + " format the volume again, and let other copies replace them");
        }
        List<String> damages = damageOfLogs(directory);
        if (!damages.isEmpty()) {
            throw corrupt(directory, String.join("; ", damages), null);
        }
        return new RocksIndexStore(directory, false, failStop);
    }

    /** Whether there is a store, which may yet be damaged. */
    static boolean isMade(Path directory) {
        return Files.exists(directory.resolve("CURRENT"));
    }

    /** Deletes the files of a store that nobody has open, and only those; nothing where there is none. */
    public static void destroy(Path directory) throws TatamiException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Options options = new Options()) {
            RocksDB.destroyDB(directory.toString(), options);
            DurableFile.syncDirectory(directory.toAbsolutePath().resolveSibling("."));
        } catch (RocksDBException | IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "cannot remove the old block index " + directory + ": " + e.getMessage(), e);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) throws TatamiException {
        openLock.readLock().lock();
        try {
            checkOpen();
            return db.get(key);
        } catch (RocksDBException e) {
            throw failed("read", e);
        } finally {
            openLock.readLock().unlock();
        }
    }

    @Override
    public void scan(byte[] prefix, Visitor visitor) throws TatamiException {
        openLock.readLock().lock();
        try {
            checkOpen();
            try (RocksIterator entries = db.newIterator(scanning)) {
                for (entries.seek(prefix); entries.isValid() && startsWith(entries.key(), prefix); entries.next()) {
                    visitor.visit(entries.key(), entries.value());
                }
                entries.status();
            }
        } catch (RocksDBException e) {
            throw failed("scan", e);
        } finally {
            openLock.readLock().unlock();
        }
    }

    @Override
    public void write(List<Change> changes) throws TatamiException {
        write(changes, null);
    }

    /** Without a look at the number, so that batches of many threads are still synced together. */
    @Override
    public void write(List<Change> changes, @Nullable Addition addition) throws TatamiException {
        openLock.readLock().lock();
        try (WriteBatch batch = new WriteBatch()) {
            checkOpen();
            for (Change change : changes) {
                byte[] value = change.value();
                if (value == null) {
                    batch.delete(change.key());
                } else {
                    batch.put(change.key(), value);
                }
            }
            if (addition != null) {
                batch.merge(addition.key(), littleEndian(addition.amount()));
            }
            db.write(synced, batch);
        } catch (RocksDBException e) {
            throw failed("write", e);
        } finally {
            openLock.readLock().unlock();
        }
    }

    private static byte[] littleEndian(long number) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(number)
                .array();
    }

    @Override
    public List<String> findDamage() throws TatamiException {
        openLock.readLock().lock();
        try {
            checkOpen();
            List<String> damages = new ArrayList<>(damageOfLogs(directory));
            for (LiveFileMetaData table : db.getLiveFilesMetaData()) {
                Path file = Path.of(table.path(), table.fileName());
                String damage = damageOf(file);
                // A compaction may have replaced it meanwhile.
                if (!damage.isEmpty() && Files.exists(file)) {
                    damages.add(file.getFileName() + " is damaged: " + damage);
                }
            }
            return damages;
        } finally {
            openLock.readLock().unlock();
        }
    }

    private static List<String> damageOfLogs(Path directory) throws TatamiException {
        try {
            return RocksLogCheck.findDamage(directory);
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "cannot read the logs in " + directory + ": " + Causes.inWords(e), e);
        }
    }

    /**
     * Below the page cache, where the file system can do that: what memory still has right may be rotten on the disk.
     */
    private static String damageOf(Path table) {
        try {
            verify(table, true);
            return "";
        } catch (RocksDBException direct) {
            if (!SystemErrorText.isInvalidArgument(direct)) {
                return String.valueOf(direct.getMessage());
            }
        }
        try {
            verify(table, false);
            return "";
        } catch (RocksDBException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void verify(Path table, boolean direct) throws RocksDBException {
        try (Options reading = new Options().setUseDirectReads(direct);
                SstFileReader reader = new SstFileReader(reading)) {
            reader.open(table.toString());
            reader.verifyChecksum();
        }
    }

    @Override
    public long usableBytes() throws TatamiException {
        try {
            return fileSystem.getUsableSpace();
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "cannot read the free space of " + directory + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        openLock.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                db.close();
                closeOptions();
            }
        } finally {
            openLock.writeLock().unlock();
        }
    }

    private void configure(boolean create) {
        options.setCreateIfMissing(create)
                .setErrorIfExists(create)
                .setParanoidChecks(true)
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                .setMaxBgErrorResumeCount(0)
                .setRecycleLogFileNum(0)
                .setListeners(List.of(listener))
                .setMergeOperator(adding)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxTotalWalSize(WAL_BYTES_MAX)
                .setMaxBackgroundJobs(BACKGROUND_JOBS)
                .setKeepLogFileNum(INFO_LOGS_MAX)
                .setTableFormatConfig(
                        new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(bloom));
    }

    private void closeOptions() {
        scanning.close();
        synced.close();
        options.close();
        listener.close();
        adding.close();
        bloom.close();
        cache.close();
    }

    private void checkOpen() throws TatamiException {
        if (closed) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the block index in " + directory + " is closed");
        }
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    private TatamiException failed(String what, RocksDBException e) {
        if (isCorruption(e)) {
            return corrupt(directory, String.valueOf(e.getMessage()), e);
        }
        return new TatamiException(
                codeOf(e.getStatus()),
                "cannot " + what + " the block index in " + directory + ": " + e.getMessage(),
                e);
    }

    private static ErrorCode codeOf(@Nullable Status status) {
        return status != null && status.getSubCode() == Status.SubCode.NoSpace
                ? ErrorCode.NO_SPACE
                : ErrorCode.IO_ERROR;
    }

    private static TatamiException openFailed(Path directory, RocksDBException e) {
        String what = "cannot open the block index in " + directory + ": " + e.getMessage();
        if (isCorruption(e)) {
            return corrupt(directory, String.valueOf(e.getMessage()), e);
        }
        if (SystemErrorText.isDatabaseLocked(e)) {
            return new TatamiException(ErrorCode.IN_USE, what + "; another server uses it: stop that server first", e);
        }
        return new TatamiException(ErrorCode.IO_ERROR, what, e);
    }

    private static boolean isCorruption(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getCode() == Status.Code.Corruption;
    }

    private static TatamiException corrupt(Path directory, String what, @Nullable Exception cause) {
        return new TatamiException(
                ErrorCode.CORRUPT,
                "the block index in " + directory + " is damaged: " + what
                        + "; it cannot be trusted: format the volume again, and let other copies replace its blocks",
                cause);
    }

    /** Called on RocksDB's own threads. */
    private static final class StoppingListener extends AbstractEventListener {
        private final FailStop failStop;

        StoppingListener(FailStop failStop) {
            super(EnabledEventCallback.ON_BACKGROUND_ERROR);
            this.failStop = failStop;
        }

        @Override
        public void onBackgroundError(BackgroundErrorReason reason, Status error) {
            TatamiException failure = new TatamiException(
                    codeOf(error), "a background task of the block index failed (" + reason + "): " + error.getState());
            TatamiException unused =
                    failure.code() == ErrorCode.NO_SPACE ? failStop.stopWrites(failure) : failStop.stop(failure);
        }
    }
}
