package io.tatami.meta.log.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.crash.LoopMount;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.state.Draft;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log on a device of its own, which counts what it is asked and gets full. Needs root, for a loop device. */
final class LogOnDeviceTest {
    private static final long IMAGE_BYTES = 128L << 20;
    private static final long FILE_BYTES = 64L << 20;
    private static final int ENTRIES = 200;

    /** Flushes, in the row that a block device has in sysfs. */
    private static final int FLUSHES_FIELD = 15;

    @TempDir
    private Path directory = Path.of("");

    /** A copy of the device would not show it, as entries are written past the page cache. */
    @Test
    void eachEntryIsFlushedToTheDeviceBeforeItIsAcknowledged() throws Exception {
        try (LoopMount mount = mount();
                StoreMemory memory = memory();
                GroupStore store = GroupStore.create(mount.directory().resolve("group"), memory);
                LocalLog log = log(store, mount)) {
            for (int i = 1; i <= ENTRIES; i++) {
                long before = flushes(mount.directory());
                log.commit(entry(i, 100 * i));
                assertTrue(flushes(mount.directory()) > before, "entry " + i);
            }
        }
    }

    @Test
    void aFullDiskIsToldAndCostsNothingThatWasAcknowledged() throws Exception {
        try (LoopMount mount = mount();
                StoreMemory memory = memory()) {
            long acknowledged = 0;
            Path filler = mount.directory().resolve("filler");
            try (GroupStore store = GroupStore.create(mount.directory().resolve("group"), memory);
                    LocalLog log = log(store, mount)) {
                log.commit(entry(++acknowledged, 100));
                fill(filler);
                TatamiException refused = null;
                while (refused == null) {
                    try {
                        log.commit(entry(acknowledged + 1, 10_000));
                        acknowledged++;
                    } catch (TatamiException e) {
                        refused = e;
                    }
                }
                assertEquals(ErrorCode.NO_SPACE, refused.code());
                assertTrue(acknowledged > 1);
                long next = acknowledged + 1;
                assertThrows(IllegalStateException.class, () -> log.commit(entry(next, 1)));
            }
            Files.delete(filler);
            try (GroupStore store = GroupStore.open(mount.directory().resolve("group"), memory);
                    LocalLog log = log(store, mount)) {
                assertTrue(store.appliedIndex() >= acknowledged, store.appliedIndex() + " of " + acknowledged);
                log.commit(entry(store.appliedIndex() + 1, 100));
            }
        }
    }

    /** There, entries go through the page cache. */
    @Test
    void aFileSystemWithoutDirectAccessIsWrittenAllTheSame() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting a file system needs root");
        Path mounted = Files.createDirectories(directory.resolve("ramfs"));
        run("mount", "-t", "ramfs", "ramfs", mounted.toString());
        try {
            StoredFile stored = StoredFile.of(mounted, 1);
            byte[] head = stored.head(new UUID(1, 1), GroupId.ofShard(0));
            ByteBuffer bytes = EntryFile.buffer(10_000);
            LocalEntryFormat.put(entry(1, 9_000), 0, bytes);
            try (EntryFile file = EntryFile.create(stored.path(), head)) {
                file.append(bytes);
            }
            List<LogEntry> read = new ArrayList<>();
            assertEquals(
                    2, stored.read(new UUID(1, 1), GroupId.ofShard(0), Long.MAX_VALUE, one -> read.add(one.entry())));
            assertEquals(1, read.size());
        } finally {
            run("umount", mounted.toString());
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        // The output of a process of tests is how it speaks with Maven.
        Process program = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, program.waitFor(), String.join(" ", command));
    }

    private LoopMount mount() throws IOException {
        return LoopMount.make(directory.resolve("image"), IMAGE_BYTES, directory.resolve("mounted"));
    }

    private static StoreMemory memory() throws TatamiException {
        return new StoreMemory(StoreSettings.from(Settings.defaults()));
    }

    private static LocalLog log(GroupStore store, LoopMount mount) throws TatamiException {
        Path group = mount.directory().resolve("group");
        return new LocalLog(new LocalLog.Location(group, new UUID(1, 1), GroupId.ofShard(0)), store, FILE_BYTES);
    }

    private static LogEntry entry(long index, int bytes) {
        TreeMap<byte[], Draft.Change> changes = new TreeMap<>(Arrays::compareUnsigned);
        changes.put(new byte[] {'k', (byte) index}, new Draft.Change(new byte[bytes]));
        return new LogEntry(index, 1_000, changes);
    }

    /** Until nothing more fits. */
    private static void fill(Path filler) throws IOException {
        byte[] bytes = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(bytes);
            }
        } catch (IOException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("No space left"), e::toString);
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
