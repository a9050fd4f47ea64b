package io.tatami.meta.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ReadMustWaitException;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ProgressRecord;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Small files with the numbers 0 to 4,095, that is in 64 runs of as many, which a store has in its tables alone. */
@Timeout(60)
final class StoreReadAheadTest {
    private static final int FILES = 4_096;
    private static final int BYTES = 10_000;

    @TempDir
    private Path directory = Path.of("");

    private StoreMemory memory = new StoreMemory(new StoreSettings(8 << 20, 4 << 20, 64, 1));

    @BeforeEach
    void storeFiles() throws TatamiException {
        try (GroupStore store = GroupStore.create(path(), memory)) {
            NavigableMap<byte[], Draft.Change> changes = Changes.noChanges();
            Random random = new Random(1);
            for (int file = 0; file < FILES; file++) {
                byte[] bytes = new byte[BYTES];
                random.nextBytes(bytes);
                changes.put(key(file), new Draft.Change(bytes));
            }
            store.apply(ProgressRecord.newBuilder().setAppliedIndex(1).build(), changes);
            store.flush();
        }
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

    private static byte[] key(int file) {
        return Keys.inline(new FileId(file));
    }

    private static void read(GroupStore store, int... files) throws TatamiException {
        View view = Objects.requireNonNull(store.optimisticView());
        for (int file : files) {
            assertEquals(BYTES, Objects.requireNonNull(view.get(key(file))).length);
        }
    }

    private static boolean isInMemory(GroupStore store, int file) throws TatamiException {
        View view = Objects.requireNonNull(store.memoryOnlyView());
        try {
            return view.get(key(file)) != null;
        } catch (ReadMustWaitException e) {
            return false;
        }
    }

    private void finishReadingAhead() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        memory.readAheadThread().execute(done::countDown);
        done.await();
    }

    @Test
    void theFourthFileOfARunThatIsReadFromItsTableBringsTheOthers() throws Exception {
        try (GroupStore store = GroupStore.open(path(), memory)) {
            read(store, 130, 191, 128, 150);
            finishReadingAhead();
            for (int file = 128; file < 192; file++) {
                assertTrue(isInMemory(store, file), "file " + file);
            }
            assertFalse(isInMemory(store, 127));
            assertFalse(isInMemory(store, 193));
        }
    }

    @Test
    void whoReadsOnBehindWhatWasBroughtBringsTwiceAsManyUpToSixteenRuns() throws Exception {
        try (GroupStore store = GroupStore.open(path(), memory)) {
            read(store, 0, 1, 2, 3);
            finishReadingAhead();
            int next = 1;
            for (int runs : new int[] {2, 4, 8, 16, 16}) {
                read(store, 64 * next + 10);
                finishReadingAhead();
                for (int file = 64 * next; file < 64 * (next + runs); file++) {
                    assertTrue(isInMemory(store, file), "file " + file + ", of " + runs + " runs from " + next);
                }
                next += runs;
                assertFalse(isInMemory(store, 64 * next + 10), "behind " + runs + " runs");
            }
        }
    }

    @Test
    void fewerReadsOrReadsOfManyRunsBringNothingElse() throws Exception {
        try (GroupStore store = GroupStore.open(path(), memory)) {
            read(store, 0, 70, 130, 131, 200, 300, 400, 500, 600, 700);
            finishReadingAhead();
            assertFalse(isInMemory(store, 1));
            for (int file = 132; file < 192; file++) {
                assertFalse(isInMemory(store, file), "file " + file);
            }
        }
    }

    @Test
    void aStoreIsOpenedAgainAtOnceThoughItWasReadingAhead() throws TatamiException {
        for (int round = 0; round < 20; round++) {
            try (GroupStore store = GroupStore.open(path(), memory)) {
                for (int run = 0; run < 16; run++) {
                    read(store, 64 * run, 64 * run + 1, 64 * run + 2, 64 * run + 3);
                }
            }
        }
    }
}
