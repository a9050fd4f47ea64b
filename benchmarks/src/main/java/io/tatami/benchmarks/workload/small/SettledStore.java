package io.tatami.benchmarks.workload.small;

import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * How large a RocksDB is once its logs were flushed and all of it was compacted, with its own options. That is done to
 * a copy, in which tables are links, so that whoever has the store open goes on with what there is.
 */
final class SettledStore {
    private static final int ATTEMPTS_MAX = 5;

    private SettledStore() {}

    /** @param copy is made, and removed */
    static long bytes(Path store, Path copy) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                copy(store, copy);
                applyLog(copy);
                return compact(copy);
            } catch (NoSuchFileException | RocksDBException | TatamiException e) {
                // A table or a file of the log was written or given up while the others were copied.
                if (attempt == ATTEMPTS_MAX) {
                    throw new IOException("the store " + store + " cannot be copied and compacted", e);
                }
            } finally {
                FileUtil.fullyDelete(copy.toFile());
            }
        }
    }

    private static void copy(Path store, Path copy) throws IOException {
        Files.createDirectories(copy);
        List<Path> files;
        try (Stream<Path> found = Files.list(store)) {
            files = found.toList();
        }
        for (Path file : files) {
            Path target = copy.resolve(file.getFileName());
            String name = file.getFileName().toString();
            if (Files.isDirectory(file)) {
                copy(file, target);
            } else if (name.endsWith(".sst")) {
                Files.createLink(target, file);
            } else if (!name.equals("LOCK") && !name.startsWith("LOG")) {
                Files.copy(file, target);
            }
        }
    }

    /** A metadata group's store lacks what is in the log beside it; a block index has none. */
    private static void applyLog(Path copy) throws TatamiException {
        Optional<LocalLog.Location> location = LocalLog.Location.find(copy);
        if (location.isPresent()) {
            try (StoreMemory memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
                    GroupStore store = GroupStore.open(copy, memory)) {
                LocalLog log =
                        new LocalLog(location.get(), store, Settings.defaults().get(LocalLog.FILE_BYTES));
                log.close();
                log.retire();
            }
        }
    }

    private static long compact(Path copy) throws RocksDBException {
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (ConfigOptions config = new ConfigOptions();
                DBOptions options = new DBOptions();
                CompactRangeOptions all =
                        new CompactRangeOptions().setBottommostLevelCompaction(BottommostLevelCompaction.kForce)) {
            OptionsUtil.loadLatestOptions(config, copy.toString(), options, families);
            options.setErrorIfExists(false);
            try (RocksDB store = RocksDB.open(options, copy.toString(), families, handles)) {
                long bytes = 0;
                for (ColumnFamilyHandle handle : handles) {
                    store.compactRange(handle, null, null, all);
                    bytes += store.getLongProperty(handle, "rocksdb.live-sst-files-size");
                }
                handles.forEach(ColumnFamilyHandle::close);
                return bytes;
            }
        } finally {
            families.forEach(family -> family.getOptions().close());
        }
    }
}
