package io.tatami.benchmarks.workload.small;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class SettledStoreTest {
    private static final int RECORDS = 1_000;
    private static final int RECORD_BYTES = 1_000;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatIsInLogsCountsOnceAndOldVersionsDoNotCount() throws Exception {
        RocksDB.loadLibrary();
        Path store = directory.resolve("store");
        Path copy = directory.resolve("copy");
        // Made as a server makes one: it must not be there yet.
        try (Options made = new Options().setCreateIfMissing(true).setErrorIfExists(true);
                RocksDB database = RocksDB.open(made, store.toString());
                FlushOptions flush = new FlushOptions()) {
            put(database, 1);
            long once = SettledStore.bytes(store, copy);
            assertTrue(once > RECORDS * RECORD_BYTES && once < RECORDS * RECORD_BYTES * 11 / 10, once + " bytes");
            database.flush(flush);
            for (int version = 2; version <= 4; version++) {
                put(database, version);
                database.flush(flush);
            }
            put(database, 5);
            long again = SettledStore.bytes(store, copy);
            assertTrue(Math.abs(again - once) < once / 100, once + " bytes, then " + again);

            // Whoever has it open goes on.
            assertArrayEquals(value(5, 7), database.get(key(7)));
            put(database, 6);
            assertEquals(again, SettledStore.bytes(store, copy), once / 100.0);
        }
        assertTrue(Files.notExists(copy));
        try (RocksDB database = RocksDB.open(store.toString())) {
            assertArrayEquals(value(6, 999), database.get(key(999)));
        }
    }

    private static void put(RocksDB database, int version) throws RocksDBException {
        for (int record = 0; record < RECORDS; record++) {
            database.put(key(record), value(version, record));
        }
    }

    private static byte[] key(int record) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(record).array();
    }

    /** Random bytes, which cannot be compressed. */
    private static byte[] value(int version, int record) {
        byte[] value = new byte[RECORD_BYTES];
        new SplittableRandom(version * 1_000_003L + record).nextBytes(value);
        return value;
    }
}
