package io.tatami.meta.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ReadMustWaitException;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ProgressRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

final class GroupStoreTest {
    @TempDir
    private Path directory = Path.of("");

    private StoreMemory memory = new StoreMemory(new StoreSettings(8 << 20, 4 << 20, 64, 1));

    @BeforeEach
    void openMemory() throws TatamiException {
        memory.close();
        memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
    }

    @AfterEach
    void closeMemory() {
        memory.close();
    }

    private Path path() {
        return directory.resolve("store");
    }

    private static void apply(GroupStore store, String... keysAndValues) throws TatamiException {
        TreeMap<byte[], Draft.Change> changes = new TreeMap<>(java.util.Arrays::compareUnsigned);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] value = keysAndValues[i + 1].isEmpty() ? null : keysAndValues[i + 1].getBytes(UTF_8);
            changes.put(keysAndValues[i].getBytes(UTF_8), new Draft.Change(value));
        }
        ProgressRecord next = ProgressRecord.newBuilder()
                .setAppliedIndex(store.appliedIndex() + 1)
                .setLogMillis(1000 + store.appliedIndex())
                .build();
        store.apply(next, changes);
    }

    private static String get(View view, String key) {
        byte[] value = view.get(key.getBytes(UTF_8));
        return value == null ? "" : new String(value, UTF_8);
    }

    private static List<String> scan(View view, String from, String to) {
        List<String> found = new ArrayList<>();
        try (View.Cursor cursor = view.scan(from.getBytes(UTF_8), to.getBytes(UTF_8))) {
            while (cursor.next()) {
                found.add(new String(cursor.key(), UTF_8) + "=" + new String(cursor.value(), UTF_8));
            }
        }
        return found;
    }

    @Test
    void whatWasAppliedIsThereAfterAReopenWithItsIndexAndTime() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1", "b", "2");
            apply(store, "a", "", "c", "3");
        }
        try (GroupStore store = GroupStore.open(path(), memory)) {
            assertEquals(2, store.appliedIndex());
            assertEquals(1001, store.logMillis());
            assertEquals(List.of("b=2", "c=3"), scan(store.liveView(), "a", "d"));
        }
    }

    @Test
    void anEntryDecidedOnAnotherStateIsRefusedAndChangesNothing() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1");
            ProgressRecord skipping =
                    ProgressRecord.newBuilder().setAppliedIndex(3).build();
            assertThrows(IllegalStateException.class, () -> store.apply(skipping, Map.of()));
            assertEquals(1, store.appliedIndex());
        }
    }

    @Test
    void aSnapshotDoesNotChangeAndOutlivesItsStoresOwner() throws TatamiException {
        GroupStore store = GroupStore.create(path(), memory);
        apply(store, "a", "1");
        try (StoreSnapshot snapshot = store.snapshot()) {
            apply(store, "a", "2");
            store.close();
            assertEquals("1", get(snapshot.view(), "a"));
        }
        TatamiException refused = assertThrows(TatamiException.class, store::snapshot);
        assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    }

    @Test
    void singletonsAreReadAsTheyAreNowAndInASnapshotAsTheyWere() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "m1", "1", "m2", "2");
            View before = inMemory(store);
            assertEquals("1", get(before, "m1"));
            assertEquals("", get(before, "m3"));
            try (StoreSnapshot snapshot = store.snapshot()) {
                apply(store, "m1", "", "m2", "two", "m3", "3");
                assertFalse(mustWait(() -> get(before, "m1")).isCold(), "the moment is over");
                for (View now : List.of(store.liveView(), inMemory(store))) {
                    assertEquals("", get(now, "m1"), "removed");
                    assertEquals("two", get(now, "m2"), "changed before anybody read it");
                    assertEquals("3", get(now, "m3"), "known not to be there, and then made");
                }
                assertEquals("1", get(snapshot.view(), "m1"));
                assertEquals("2", get(snapshot.view(), "m2"));
                assertEquals("", get(snapshot.view(), "m3"));
            }
            apply(store, "m1", "one");
            assertEquals("one", get(store.liveView(), "m1"));
        }
        try (GroupStore store = GroupStore.open(path(), memory)) {
            assertEquals(List.of("m1=one", "m2=two", "m3=3"), scan(store.liveView(), "m0", "m9"));
            assertEquals("one", get(store.liveView(), "m1"));
        }
    }

    @Test
    void progressIsReadAsTheDatabaseHasIt() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            byte[] progress = Keys.singleton("progress");
            apply(store, "a", "1");
            store.snapshot().close();
            byte[] first = store.liveView().get(progress);
            apply(store, "a", "2");
            store.snapshot().close();
            assertFalse(java.util.Arrays.equals(first, store.liveView().get(progress)));
        }
    }

    @Test
    void whoMayNotWaitReadsWhatIsInMemoryAsOfOneMoment() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1", "c", "3");
            View before = inMemory(store);
            assertEquals("1", get(before, "a"), "also before the database has it");
            assertEquals("", get(before, "b"));
            assertFalse(mustWait(() -> scan(before, "a", "c")).isCold(), "walks may be long");
            apply(store, "a", "2");
            assertFalse(mustWait(() -> get(before, "c")).isCold(), "the moment is over");
            assertEquals("2", get(inMemory(store), "a"));
            // So that they lie in other blocks than what a start reads.
            apply(store, "b", "x".repeat(64 << 10), "zz", "x".repeat(64 << 10));
            store.snapshot().close();
            assertEquals("2", get(inMemory(store), "a"), "now the database has it");
            store.flush();
        }
        memory.close();
        // Write buffers count as cached, and of a small cache they may leave no room for a block.
        memory = new StoreMemory(new StoreSettings(256 << 20, 4 << 20, 64, 1));
        try (GroupStore store = GroupStore.open(path(), memory)) {
            assertTrue(mustWait(() -> get(inMemory(store), "a")).isCold());
            assertEquals("2", get(Objects.requireNonNull(store.optimisticView()), "a"));
            try (StoreSnapshot snapshot = store.snapshot()) {
                assertEquals("2", get(snapshot.view(), "a"));
            }
            assertEquals("2", get(inMemory(store), "a"));
        }
    }

    private static View inMemory(GroupStore store) throws TatamiException {
        return Objects.requireNonNull(store.memoryOnlyView());
    }

    private static ReadMustWaitException mustWait(Executable read) {
        return assertThrows(ReadMustWaitException.class, read);
    }

    @Test
    void scansEndBeforeTheirBoundAndCompareBytesWithoutSign() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1", "é", "2", "b", "3");
            assertEquals(List.of("a=1", "b=3"), scan(store.liveView(), "a", "c"));
            byte[] last = {(byte) 0xff};
            try (View.Cursor cursor = store.liveView().scan("n".getBytes(UTF_8), last)) {
                assertTrue(cursor.next());
                assertArrayEquals("é".getBytes(UTF_8), cursor.key());
            }
        }
    }

    @Test
    void aStoreThatIsOpenIsNotOpenedAgain() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            assertNotNull(store);
            assertThrows(TatamiException.class, () -> GroupStore.open(path(), memory));
        }
    }

    @Test
    void aMissingStoreIsNotMadeByOpening() {
        assertThrows(TatamiException.class, () -> GroupStore.open(path(), memory));
        assertFalse(Files.exists(path().resolve("CURRENT")));
    }

    /** Copies a store as a crash would leave it. */
    private Path crashed(String name) throws IOException {
        Path copy = directory.resolve(name);
        Files.createDirectories(copy);
        try (Stream<Path> files = Files.list(path())) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static Path newestLog(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(java.util.Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    @Test
    void aCrashTakesTheNewestEntriesAsAWholeWithTheirIndex() throws TatamiException, IOException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1", "b", "1");
            store.flush();
            assertEquals(1, store.appliedIndex());
            apply(store, "a", "2", "b", "2");
            assertEquals(List.of("a=2", "b=2"), scan(store.liveView(), "a", "d"));
            try (GroupStore crashed = GroupStore.open(crashed("unflushed"), memory)) {
                assertEquals(1, crashed.appliedIndex());
                assertEquals(List.of("a=1", "b=1"), scan(crashed.liveView(), "a", "d"));
            }
            store.flush();
            assertEquals(2, store.appliedIndex());
            try (GroupStore crashed = GroupStore.open(crashed("flushed"), memory)) {
                assertEquals(2, crashed.appliedIndex());
                assertEquals(List.of("a=2", "b=2"), scan(crashed.liveView(), "a", "d"));
            }
        }
    }

    @Test
    void whatTheDatabaseWasNotGivenYetIsSeenByEverybody() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1", "b", "1");
            store.flush();
            apply(store, "a", "", "c", "3");
            assertEquals("", get(store.liveView(), "a"));
            assertEquals("1", get(store.liveView(), "b"));
            assertEquals("3", get(store.liveView(), "c"));
            try (StoreSnapshot snapshot = store.snapshot()) {
                apply(store, "c", "4");
                assertEquals("3", get(snapshot.view(), "c"));
                assertEquals(List.of("b=1", "c=3"), scan(snapshot.view(), "a", "d"));
            }
            assertEquals(List.of("b=1", "c=4"), scan(store.liveView(), "a", "d"));
        }
    }

    /** What a crash leaves of a store as releases before had it, with three entries in RocksDB's log. */
    private Path olderStore() throws RocksDBException, IOException {
        try (Options options = new Options().setCreateIfMissing(true);
                WriteOptions synced = new WriteOptions().setSync(true);
                RocksDB database = RocksDB.open(options, path().toString())) {
            for (String value : List.of("1", "2", "3")) {
                database.put(synced, "a".getBytes(UTF_8), value.getBytes(UTF_8));
            }
            Path copy = crashed("as-by-an-older-release");
            assertTrue(Files.size(newestLog(copy)) > 0);
            return copy;
        }
    }

    @Test
    void damageBeforeTheEndOfAnOlderStoresLogRefusesToOpen() throws Exception {
        Path copy = olderStore();
        Path log = newestLog(copy);
        byte[] content = Files.readAllBytes(log);
        int entry = content.length / 3;
        byte[] flipped = content.clone();
        flipped[entry + 12] ^= 0x40;
        Files.write(log, flipped);
        TatamiException refused = assertThrows(TatamiException.class, () -> GroupStore.open(copy, memory));
        assertEquals(ErrorCode.CORRUPT, refused.code());
        Files.write(log, content);
        try (GroupStore store = GroupStore.open(copy, memory)) {
            assertEquals("3", get(store.liveView(), "a"));
        }
    }

    /** RocksDB takes a length that reaches behind the end of the log for a torn end, and drops what follows. */
    @Test
    void aFlippedBitInTheHeaderOfALoggedEntryRefusesToOpen() throws Exception {
        Path copy = olderStore();
        Path log = newestLog(copy);
        byte[] content = Files.readAllBytes(log);
        int entry = content.length / 3;
        for (int bit = 0; bit < 7 * Byte.SIZE; bit++) {
            byte[] damaged = content.clone();
            damaged[entry + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            Files.write(log, damaged);
            TatamiException refused = assertThrows(TatamiException.class, () -> GroupStore.open(copy, memory));
            assertEquals(ErrorCode.CORRUPT, refused.code(), "bit " + bit);
        }
    }

    @Test
    void aHealthyStoreReportsNoFailure() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            apply(store, "a", "1");
            assertNull(store.failure());
        }
    }
}
