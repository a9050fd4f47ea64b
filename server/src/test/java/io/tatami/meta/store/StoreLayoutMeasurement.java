package io.tatami.meta.store;

import io.tatami.conf.Settings;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Measures whether the shards of a server should share one RocksDB: groups commit batches with {@code sync=true}, each
 * from a thread of its own, into one store or into one each. The requests in flight are the same in all runs, so that
 * more groups mean smaller batches. See {@code docs/decisions/001-one-store-per-group.md}.
 *
 * <p>Arguments: directory, seconds a run.
 */
public final class StoreLayoutMeasurement {
    private static final int REQUESTS_IN_FLIGHT = 64;
    private static final int RECORDS_PER_REQUEST = 5;
    private static final int VALUE_BYTES = 120;

    private StoreLayoutMeasurement() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        long seconds = Long.parseLong(arguments[1]);
        System.out.println("layout  groups  requests/s  batches/s  batch-millis");
        for (int round = 0; round < 2; round++) {
            for (int groups : new int[] {1, 4, 8, 16}) {
                for (boolean shared : new boolean[] {true, false}) {
                    run(directory.resolve(round + "-" + groups + "-" + shared), groups, shared, seconds);
                }
            }
        }
    }

    private static void run(Path directory, int groups, boolean shared, long seconds) throws Exception {
        List<RocksDB> stores = new ArrayList<>();
        try (StoreMemory memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
                ErrorWatch watch = new ErrorWatch(directory);
                Options options = StoreOptions.of(memory, watch, true)) {
            for (int i = 0; i < (shared ? 1 : groups); i++) {
                Path path = directory.resolve("store-" + i);
                Files.createDirectories(path);
                stores.add(RocksDB.open(options, path.toString()));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            ExecutorService threads = Executors.newFixedThreadPool(groups);
            List<Future<Long>> counts = new ArrayList<>();
            for (int i = 0; i < groups; i++) {
                int group = i;
                RocksDB store = stores.get(shared ? 0 : i);
                counts.add(threads.submit(() -> commit(store, group, REQUESTS_IN_FLIGHT / groups, end)));
            }
            long batches = 0;
            for (Future<Long> count : counts) {
                batches += count.get();
            }
            threads.shutdown();
            System.out.printf(
                    "%-7s %6d %11d %10d %13.2f%n",
                    shared ? "shared" : "own",
                    groups,
                    batches * (REQUESTS_IN_FLIGHT / groups) / seconds,
                    batches / seconds,
                    1000.0 * seconds * groups / batches);
            stores.forEach(RocksDB::close);
        }
    }

    private static long commit(RocksDB store, int group, int requests, long endNanos) throws RocksDBException {
        long batches = 0;
        long key = 0;
        byte[] value = new byte[VALUE_BYTES];
        try (WriteOptions synced = new WriteOptions().setSync(true);
                WriteBatch batch = new WriteBatch()) {
            while (System.nanoTime() < endNanos) {
                batch.clear();
                for (int i = 0; i < requests * RECORDS_PER_REQUEST; i++) {
                    ByteBuffer.wrap(value).putLong(key * 0x9e3779b97f4a7c15L);
                    batch.put(
                            ByteBuffer.allocate(12).putInt(group).putLong(key++).array(), value);
                }
                store.write(synced, batch);
                batches++;
            }
        }
        return batches;
    }
}
