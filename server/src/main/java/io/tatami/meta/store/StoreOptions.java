package io.tatami.meta.store;

import io.tatami.meta.state.Keys;
import java.util.Objects;
import java.util.Properties;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.WALRecoveryMode;

/** How a group's RocksDB is set up, and why. */
final class StoreOptions {
    private static final long WRITE_BUFFER_BYTES = 32L << 20;
    private static final double MEMTABLE_FILTER_RATIO = 0.05;
    private static final long TABLE_BYTES = 32L << 20;
    private static final long BLOCK_BYTES = 4L << 10;
    private static final int TABLE_FORMAT = 6;

    private StoreOptions() {}

    static Options of(StoreMemory memory, AbstractEventListener listener, boolean create) {
        BlockBasedTableConfig tables = new BlockBasedTableConfig()
                .setBlockCache(memory.cache())
                .setBlockSize(BLOCK_BYTES)
                .setFilterPolicy(memory.filter())
                .setFormatVersion(TABLE_FORMAT)
                // Indexes and filters count as cached blocks: with millions of files they are most of the memory.
                .setCacheIndexAndFilterBlocks(true)
                .setCacheIndexAndFilterBlocksWithHighPriority(true)
                .setPinL0FilterAndIndexBlocksInCache(true);
        Options options = empty().setCreateIfMissing(create)
                .setErrorIfExists(create)
                .setTableFormatConfig(tables)
                .setWriteBufferManager(memory.writeBuffers())
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                // A new name is looked up before it is made: the filter spares the search among what was just written.
                .setMemtablePrefixBloomSizeRatio(MEMTABLE_FILTER_RATIO)
                .setMemtableWholeKeyFiltering(true)
                .setTargetFileSizeBase(TABLE_BYTES)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setMaxOpenFiles(memory.settings().openFilesMax())
                .setMaxBackgroundJobs(memory.settings().backgroundJobs())
                // Files are read back in the order in which they were made, and their bytes lie in that of their ids.
                .setAdviseRandomOnOpen(false);
        // A torn last record was never acknowledged; damage anywhere else refuses to open.
        options.setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
        // A reused log file would make old records look like a torn tail of the new ones.
        options.setRecycleLogFileNum(0);
        // After a failed flush nobody knows what the device holds: the group stops, and a person decides.
        options.setMaxBgErrorResumeCount(0);
        options.setParanoidChecks(true);
        options.setListeners(java.util.List.of(listener));
        quiet(options);
        return options;
    }

    /**
     * New records of a kind mostly sort near the last one of that kind: ids rise, and names are made in order.
     * Searching from there instead of from the top halves the time of an insert. This option has no setter in Java.
     */
    private static Options empty() {
        Properties hint = new Properties();
        hint.setProperty("memtable_insert_with_hint_prefix_extractor", "capped:" + Keys.kind('e').length);
        try (DBOptions database = new DBOptions();
                ColumnFamilyOptions family = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(hint)) {
            return new Options(database, Objects.requireNonNull(family, () -> "RocksDB knows none of " + hint));
        }
    }

    private static void quiet(Options options) {
        options.setInfoLogLevel(InfoLogLevel.ERROR_LEVEL);
        options.setKeepLogFileNum(2);
        options.setStatsDumpPeriodSec(0);
        options.setStatsPersistPeriodSec(0);
        options.setSkipStatsUpdateOnDbOpen(true);
    }
}
