package io.tatami.block.volume.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import io.tatami.crash.DirectoryCopy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class RocksIndexStoreTest {
    private final FailStop failStop = new FailStop("volume");

    @TempDir
    private Path directory;

    @Test
    void batchesAreThereAfterOpeningAgainAndScansKeepToTheirPrefix() throws TatamiException {
        try (IndexStore store = RocksIndexStore.create(index(), failStop)) {
            store.write(List.of(put("e1", "one"), put("c1", "sums"), put("e2", "two"), put("f", "behind")));
            store.write(List.of(new IndexStore.Change(bytes("e1"), null), put("e3", "three")));
        }
        try (IndexStore store = RocksIndexStore.open(index(), failStop)) {
            assertArrayEquals(bytes("two"), store.get(bytes("e2")));
            assertNull(store.get(bytes("e1")));
            List<String> seen = new ArrayList<>();
            store.scan(bytes("e"), (key, value) -> seen.add(text(key) + "=" + text(value)));
            assertEquals(List.of("e2=two", "e3=three"), seen);
            assertTrue(store.usableBytes() > 0);
        }
    }

    @Test
    void whatManyThreadsAddToANumberIsAllThereAfterOpeningAgain() throws Exception {
        int threads = 4;
        int batches = 50;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (IndexStore store = RocksIndexStore.create(index(), failStop)) {
            List<Callable<Boolean>> tasks = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                String key = "e" + thread;
                tasks.add(() -> {
                    for (int batch = 1; batch <= batches; batch++) {
                        store.write(List.of(put(key, "" + batch)), new IndexStore.Addition(bytes("e"), -batch));
                    }
                    return true;
                });
            }
            for (Future<Boolean> done : pool.invokeAll(tasks)) {
                assertTrue(done.get());
            }
        } finally {
            pool.shutdown();
        }
        long sum = -(long) threads * batches * (batches + 1) / 2;
        try (IndexStore store = RocksIndexStore.open(index(), failStop)) {
            assertArrayEquals(BlockIndexFormat.encodeSum(sum), store.get(bytes("e")));
            List<String> seen = new ArrayList<>();
            store.scan(bytes("e"), (key, value) -> seen.add(text(key)));
            assertEquals(List.of("e", "e0", "e1", "e2", "e3"), seen);
        }
    }

    @Test
    void aBatchIsInTheLogFileWhenItsWriteReturns() throws Exception {
        try (IndexStore store = RocksIndexStore.create(index(), failStop)) {
            store.write(List.of(put("e1", "one")));
            // As kill -9 would leave it: the lock file stays, and so does what only RocksDB's memory had.
            DirectoryCopy.make(index(), directory.resolve("copy"));
        }
        try (IndexStore store = RocksIndexStore.open(directory.resolve("copy"), failStop)) {
            assertArrayEquals(bytes("one"), store.get(bytes("e1")));
        }
    }

    @Test
    void aStoreIsOpenedOnceAndClosedOnce() throws TatamiException {
        IndexStore store = RocksIndexStore.create(index(), failStop);
        assertEquals(ErrorCode.IN_USE, failure(() -> RocksIndexStore.open(index(), failStop)));
        store.close();
        store.close();

        assertEquals(ErrorCode.UNAVAILABLE, failure(() -> store.get(bytes("e1"))));
        assertEquals(ErrorCode.UNAVAILABLE, failure(() -> store.write(List.of(put("e1", "one")))));
    }

    @Test
    void aMissingStoreAndADirectoryWithOtherFilesAreRefused() throws Exception {
        assertEquals(ErrorCode.NOT_FOUND, failure(() -> RocksIndexStore.open(index(), failStop)));
        Files.createDirectories(index());
        Files.writeString(index().resolve("letters"), "mine");

        assertEquals(ErrorCode.ALREADY_EXISTS, failure(() -> RocksIndexStore.create(index(), failStop)));
        RocksIndexStore.destroy(index());
        assertTrue(Files.exists(index().resolve("letters")), "a foreign file was deleted");
    }

    private static ErrorCode failure(Executable call) {
        return assertThrows(TatamiException.class, call).code();
    }

    private Path index() {
        return directory.resolve("index");
    }

    private static IndexStore.Change put(String key, String value) {
        return new IndexStore.Change(bytes(key), bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
