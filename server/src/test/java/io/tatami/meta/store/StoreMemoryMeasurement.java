package io.tatami.meta.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.conf.Settings;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.wire.ProgressRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Measures the memory of a metadata process by the number of files: as many records as that many files make (entry,
 * home, block, replica and block's file, with random values that do not compress), over 16 stores, then random reads.
 *
 * <p>Arguments: directory, millions of files.
 */
public final class StoreMemoryMeasurement {
    private static final int STORES = 16;
    private static final int FILES_PER_BATCH = 500;
    private static final int FILES_PER_DIRECTORY = 5;
    private static final int READS = 200_000;

    private StoreMemoryMeasurement() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        long files = Long.parseLong(arguments[1]) * 1_000_000;
        SplittableRandom random = new SplittableRandom(1);
        try (StoreMemory memory = new StoreMemory(StoreSettings.from(Settings.defaults()))) {
            List<GroupStore> stores = new ArrayList<>();
            for (int i = 0; i < STORES; i++) {
                stores.add(GroupStore.create(directory.resolve("shard-" + i), memory));
            }
            for (long file = 0; file < files; file += FILES_PER_BATCH) {
                GroupStore store = stores.get((int) (file / FILES_PER_BATCH % STORES));
                ProgressRecord next = ProgressRecord.newBuilder()
                        .setAppliedIndex(store.appliedIndex() + 1)
                        .build();
                store.apply(next, batch(file, random));
                if (file % 1_000_000 < FILES_PER_BATCH) {
                    report(file, memory);
                }
            }
            report(files, memory);
            read(stores, files, random);
            report(files, memory);
            stores.forEach(GroupStore::close);
        }
    }

    private static TreeMap<byte[], Draft.Change> batch(long firstFile, SplittableRandom random) {
        TreeMap<byte[], Draft.Change> changes = new TreeMap<>(Arrays::compareUnsigned);
        for (long i = firstFile + 1; i <= firstFile + FILES_PER_BATCH; i++) {
            FileId file = new FileId(i);
            BlockId block = new BlockId(i);
            changes.put(Keys.entry(directoryOf(i), "part-m-" + i), value(90, random));
            changes.put(Keys.home(file), value(70, random));
            changes.put(Keys.block(file, 0), value(30, random));
            changes.put(Keys.replica(new ServerId(1), block), value(12, random));
            changes.put(Keys.fileOfBlock(block), value(10, random));
        }
        return changes;
    }

    private static DirectoryId directoryOf(long file) {
        return new DirectoryId(file / FILES_PER_DIRECTORY + 2);
    }

    private static Draft.Change value(int bytes, SplittableRandom random) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return new Draft.Change(value);
    }

    private static void read(List<GroupStore> stores, long files, SplittableRandom random) {
        long begin = System.nanoTime();
        long found = 0;
        for (int i = 0; i < READS; i++) {
            long file = 1 + random.nextLong(files);
            GroupStore store = stores.get((int) ((file - 1) / FILES_PER_BATCH % STORES));
            if (store.liveView().get(Keys.entry(directoryOf(file), "part-m-" + file)) != null) {
                found++;
            }
        }
        System.out.printf(
                "%d random reads, %d found, %.1f us each%n",
                READS, found, (System.nanoTime() - begin) / 1_000.0 / READS);
    }

    private static void report(long files, StoreMemory memory) throws IOException {
        String resident = Files.readAllLines(Path.of("/proc/self/status"), UTF_8).stream()
                .filter(line -> line.startsWith("VmRSS") || line.startsWith("VmHWM"))
                .reduce("", (all, line) -> all + " " + line.replaceAll("\\s+", " "));
        System.out.printf("%d files:%s, cache %d MiB%n", files, resident, memory.usedBytes() >> 20);
    }
}
