package io.tatami.meta.log.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A group's log and store after crashes and damage, compared with a map that took the same entries. A crash is a copy
 * of the directory while the store is open, so that what the store has in memory alone is not in it.
 */
final class LocalLogTest {
    private static final UUID CLUSTER = new UUID(1, 1);
    private static final GroupId GROUP = GroupId.ofShard(0);
    private static final long LONG_FILE = 64 << 20;
    private static final long SHORT_FILE = 64 << 10;
    private static final int SECTOR_BYTES = 512;

    @TempDir
    private Path directory = Path.of("");

    private final Random random = TestSeed.random();
    private final StoreMemory memory = new StoreMemory(new StoreSettings(64 << 20, 32 << 20, 64, 1));
    private int copies;

    @AfterEach
    void closeMemory() {
        memory.close();
    }

    /** A group's store and log, open, and what must be in it. */
    private final class Opened implements AutoCloseable {
        final GroupStore store;
        final LocalLog log;
        final TreeMap<String, String> expected;

        Opened(Path path, long fileBytes, TreeMap<String, String> expected) throws TatamiException {
            this.store = GroupStore.openOrCreate(path, memory);
            this.expected = expected;
            try {
                this.log = new LocalLog(new LocalLog.Location(path, CLUSTER, GROUP), store, fileBytes);
            } catch (TatamiException e) {
                store.close();
                throw e;
            }
        }

        /** Puts a value of so many random bytes. */
        void put(String key, int bytes) throws TatamiException {
            byte[] value = new byte[bytes];
            random.nextBytes(value);
            commit(key, value);
        }

        void commit(String key, byte[] value) throws TatamiException {
            TreeMap<byte[], Draft.Change> changes = new TreeMap<>(Arrays::compareUnsigned);
            changes.put(key.getBytes(UTF_8), new Draft.Change(value.length == 0 ? null : value));
            log.commit(new LogEntry(store.appliedIndex() + 1, 1_000, changes));
            if (value.length == 0) {
                expected.remove(key);
            } else {
                expected.put(key, HexFormat.of().formatHex(value));
            }
        }

        TreeMap<String, String> content() throws TatamiException {
            TreeMap<String, String> content = new TreeMap<>();
            try (View.Cursor cursor = store.liveView().scan("k".getBytes(UTF_8), "l".getBytes(UTF_8))) {
                while (cursor.next()) {
                    content.put(new String(cursor.key(), UTF_8), HexFormat.of().formatHex(cursor.value()));
                }
            }
            return content;
        }

        @Override
        public void close() {
            log.close();
            store.close();
        }
    }

    private Opened open(Path path, long fileBytes) throws TatamiException {
        return new Opened(path, fileBytes, new TreeMap<>());
    }

    /** As a crash would leave it. */
    private Path crashed(Path path) throws IOException {
        Path copy = directory.resolve("copy-" + copies++);
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(path.relativize(file)));
            }
        }
        return copy;
    }

    private static Path newest(Path path) throws IOException {
        List<StoredFile> files = StoredFile.in(path.resolve("entries"));
        return files.get(files.size() - 1).path();
    }

    private void assertHolds(Path path, TreeMap<String, String> expected) throws TatamiException {
        TreeMap<String, String> known = new TreeMap<>(expected);
        try (Opened opened = new Opened(path, LONG_FILE, known)) {
            assertEquals(expected, opened.content());
            opened.put("k-after", 100);
            assertEquals(known, opened.content());
        }
        try (Opened opened = new Opened(path, LONG_FILE, known)) {
            assertEquals(known, opened.content());
        }
    }

    private void assertRefused(Path path, String what) {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> open(path, LONG_FILE).close(), what);
        assertEquals(ErrorCode.CORRUPT, refused.code(), what);
    }

    @Test
    void whatWasCommittedIsThereAfterCrashesAlsoOfTheNextOpening() throws Exception {
        TreeMap<String, String> expected = new TreeMap<>();
        Path path = directory.resolve("group");
        for (int round = 0; round < 5; round++) {
            Opened opened = new Opened(path, LONG_FILE, expected);
            try (opened) {
                for (int i = 0; i < 300; i++) {
                    int bytes = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(random.nextInt(50) == 0 ? 40_000 : 700);
                    opened.put("k" + random.nextInt(200), bytes);
                }
                assertEquals(expected, opened.content());
                if (round % 2 == 0) {
                    assertHolds(crashed(crashed(path)), expected);
                }
                path = crashed(path);
            }
        }
    }

    @Test
    void anEntryLongerThanWhatIsKeptInMemoryIsWrittenToo() throws Exception {
        Path path = directory.resolve("group");
        try (Opened opened = open(path, LONG_FILE)) {
            opened.put("k1", 3 << 20);
            opened.put("k2", 10);
            assertHolds(crashed(path), opened.expected);
        }
    }

    @Test
    void whatTheFilesTakeIsToldWithTheZerosForEntriesToCome() throws Exception {
        Path path = directory.resolve("group");
        try (Opened opened = open(path, LONG_FILE)) {
            assertEquals(1 << 20, opened.log.bytes());
            opened.put("k1", 3 << 20);
            assertEquals(4 << 20, opened.log.bytes());
            Files.writeString(path.resolve("entries").resolve("other"), "of somebody else");
            assertEquals(4 << 20, opened.log.bytes());
        }
    }

    @Test
    void whateverHasComeOfTheLastWriteTheEntriesBeforeItAreThere() throws Exception {
        Path path = directory.resolve("group");
        try (Opened opened = open(path, LONG_FILE)) {
            opened.put("k1", 100);
            opened.put("k2", 100);
            TreeMap<String, String> before = new TreeMap<>(opened.expected);
            // A sector of zeros that are the entry's own, as well.
            byte[] value = new byte[6 * SECTOR_BYTES];
            random.nextBytes(value);
            Arrays.fill(value, 2 * SECTOR_BYTES, 4 * SECTOR_BYTES, (byte) 0);
            opened.commit("k1", value);
            Path copy = crashed(path);
            byte[] whole = Files.readAllBytes(newest(copy));
            int from = 3 * LocalEntryFormat.BLOCK_BYTES;
            int sectors = 7;
            for (int come = 0; come < 1 << sectors; come++) {
                byte[] torn = whole.clone();
                for (int sector = 0; sector < sectors; sector++) {
                    if ((come & 1 << sector) == 0) {
                        int start = from + sector * SECTOR_BYTES;
                        Arrays.fill(torn, start, start + SECTOR_BYTES, (byte) 0);
                    }
                }
                Path one = crashed(copy);
                Files.write(newest(one), torn);
                assertHolds(one, Arrays.equals(torn, whole) ? opened.expected : before);
            }
        }
    }

    @Test
    void anEntryThatHasRottedIsNotForgotten() throws Exception {
        Path path = directory.resolve("group");
        try (Opened opened = open(path, LONG_FILE)) {
            for (int i = 0; i < 4; i++) {
                opened.put("k" + i, 3_000);
            }
            Path copy = crashed(path);
            byte[] whole = Files.readAllBytes(newest(copy));
            int block = LocalEntryFormat.BLOCK_BYTES;
            for (int entry = 1; entry <= 4; entry++) {
                for (int i = 0; i < 40; i++) {
                    byte[] rotten = whole.clone();
                    int at = entry * block + (i < 24 ? i : random.nextInt(3_000));
                    rotten[at] ^= (byte) (1 << random.nextInt(8));
                    Files.write(newest(copy), rotten);
                    assertRefused(copy, "a bit at " + at + " of entry " + entry);
                }
            }
            for (int lost = block; lost < 4 * block; lost += SECTOR_BYTES) {
                byte[] holed = whole.clone();
                Arrays.fill(holed, lost, lost + SECTOR_BYTES, (byte) 0);
                if (!Arrays.equals(holed, whole)) {
                    Files.write(newest(copy), holed);
                    assertRefused(copy, "a lost sector at " + lost);
                }
            }
            byte[] headless = whole.clone();
            Arrays.fill(headless, 0, block, (byte) 0);
            Files.write(newest(copy), headless);
            assertRefused(copy, "a lost head");
            Files.write(newest(copy), whole);
            assertHolds(copy, opened.expected);
        }
    }

    @Test
    void aLogThatIsGoneOrNotOfItsStoreIsRefused() throws Exception {
        Path path = directory.resolve("group");
        try (Opened opened = open(path, LONG_FILE)) {
            opened.put("k1", 10);
            Path early = crashed(path);
            opened.put("k2", 10);
            opened.store.flush();
            assertEquals(2, opened.store.appliedIndex());
            Path older = crashed(path);
            Files.copy(newest(early), newest(older), StandardCopyOption.REPLACE_EXISTING);
            assertRefused(older, "a file that lacks what the store has");
            opened.put("k3", 10);
            Path gone = crashed(path);
            Files.delete(newest(gone));
            assertRefused(gone, "no file");
            Files.delete(gone.resolve("entries"));
            assertRefused(gone, "no directory");
            Path other = directory.resolve("other");
            try (Opened another = open(other, LONG_FILE)) {
                another.put("k1", 10);
                another.put("k2", 10);
                another.put("k3", 10);
                Path mixed = crashed(path);
                Files.copy(newest(other), newest(mixed), StandardCopyOption.REPLACE_EXISTING);
                assertRefused(mixed, "another group's file");
            }
        }
    }

    @Test
    void aFileOfAnotherClusterIsRefused() throws Exception {
        Path path = directory.resolve("group");
        open(path, LONG_FILE).close();
        try (GroupStore store = GroupStore.open(path, memory)) {
            TatamiException refused = assertThrows(
                    TatamiException.class,
                    () -> new LocalLog(new LocalLog.Location(path, new UUID(2, 2), GROUP), store, LONG_FILE));
            assertEquals(ErrorCode.CORRUPT, refused.code());
        }
    }

    @Test
    void filesGoOnceTheStoreHasWhatIsInThem() throws Exception {
        Path path = directory.resolve("group");
        TreeMap<String, String> expected = new TreeMap<>();
        try (Opened opened = new Opened(path, SHORT_FILE, expected)) {
            for (int i = 0; i < 2_000; i++) {
                opened.put("k" + random.nextInt(500), 1 + random.nextInt(700));
                assertTrue(StoredFile.in(path.resolve("entries")).size() <= 9);
            }
        }
        assertTrue(StoredFile.in(path.resolve("entries")).size() < 2_000 * 4_096 / SHORT_FILE);
        try (Opened opened = new Opened(path, SHORT_FILE, expected)) {
            assertEquals(expected, opened.content());
        }
    }

    @Test
    void aStoreWhoseLogHasEndedHasEverythingAndBeginsAnotherLog() throws Exception {
        Path path = directory.resolve("group");
        TreeMap<String, String> expected = new TreeMap<>();
        try (Opened opened = new Opened(path, LONG_FILE, expected)) {
            opened.put("k1", 10);
            opened.put("k2", 10);
            opened.log.close();
            opened.log.retire();
            assertFalse(Files.exists(path.resolve("entries")));
            assertHolds(crashed(path), expected);
            opened.store.seal();
        }
        try (GroupStore store = GroupStore.open(path, memory)) {
            TatamiException refused = assertThrows(
                    TatamiException.class,
                    () -> new LocalLog(new LocalLog.Location(path, CLUSTER, GROUP), store, LONG_FILE));
            assertEquals(ErrorCode.UNSUPPORTED, refused.code());
        }
    }

    @Test
    void afterAFailedCommitNothingIsConfirmed() throws Exception {
        Path path = directory.resolve("group");
        try (Opened opened = open(path, SHORT_FILE)) {
            opened.put("k", 10);
            assertFalse(opened.log.confirm().isCompletedExceptionally());
            // No further file can be begun.
            Files.move(path.resolve("entries"), path.resolve("gone"));
            assertThrows(TatamiException.class, () -> opened.put("k", (int) SHORT_FILE));
            assertTrue(opened.log.confirm().isCompletedExceptionally());
        }
    }

    @Test
    void anEntryThatWasNotDecidedOnTheNewestStateIsRefused() throws Exception {
        try (Opened opened = open(directory.resolve("group"), LONG_FILE)) {
            opened.put("k1", 10);
            assertThrows(
                    IllegalStateException.class,
                    () -> opened.log.commit(new LogEntry(3, 1_000, new TreeMap<>(Arrays::compareUnsigned))));
            opened.put("k2", 10);
            assertEquals(opened.expected, opened.content());
        }
    }
}
