package io.tatami.meta.log.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.conf.Settings;
import io.tatami.crash.LoopMount;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.state.Draft;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * That entries are flushed cannot be seen in a copy of the device, as they are written past the page cache; the device
 * counts what it was asked. Needs root, for a loop device.
 */
final class LogFlushTest {
    private static final long IMAGE_BYTES = 128L << 20;
    private static final long FILE_BYTES = 64L << 20;
    private static final int ENTRIES = 200;

    /** Flushes, in the row that a block device has in sysfs. */
    private static final int FLUSHES_FIELD = 15;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void eachEntryIsFlushedToTheDeviceBeforeItIsAcknowledged() throws Exception {
        try (LoopMount mount = LoopMount.make(directory.resolve("image"), IMAGE_BYTES, directory.resolve("mounted"));
                StoreMemory memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
                GroupStore store = GroupStore.create(mount.directory().resolve("group"), memory);
                LocalLog log = new LocalLog(
                        new LocalLog.Place(mount.directory().resolve("group"), new UUID(1, 1), GroupId.ofShard(0)),
                        store,
                        FILE_BYTES)) {
            for (int i = 1; i <= ENTRIES; i++) {
                TreeMap<byte[], Draft.Change> changes = new TreeMap<>(Arrays::compareUnsigned);
                changes.put(new byte[] {'k'}, new Draft.Change(new byte[100 * i]));
                long before = flushes(mount.directory());
                log.commit(new LogEntry(i, 1_000, changes));
                assertTrue(flushes(mount.directory()) > before, "entry " + i);
            }
        }
    }

    private static long flushes(Path mounted) throws IOException {
        String device = Files.readAllLines(Path.of("/proc/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(mount -> mount[1].equals(mounted.toAbsolutePath().toString()))
                .map(mount -> Path.of(mount[0]).getFileName().toString())
                .findFirst()
                .orElseThrow();
        try (Scanner counts = new Scanner(Path.of("/sys/block", device, "stat"), UTF_8)) {
            for (int field = 0; field < FLUSHES_FIELD; field++) {
                counts.next();
            }
            return counts.nextLong();
        }
    }
}
