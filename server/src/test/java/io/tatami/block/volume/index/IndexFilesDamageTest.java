package io.tatami.block.volume.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import io.tatami.block.volume.SoakLog;
import io.tatami.files.RocksLogCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rot in the files of a real index: an error that names the remedy, and never an index that lacks what was
 * acknowledged.
 */
class IndexFilesDamageTest {
    private static final int SECTOR = 4096;
    private static final int LOG_BLOCK = 32 << 10;
    private static final int LOG_HEADER = 7;
    private static final long SEED = Long.getLong("tatami.test.seed", 1);

    @TempDir
    private Path directory;

    @Test
    void aFlippedBitOrALostSectorOfAnyFileIsAnErrorOrHarmsNothing() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        damageEachFile(SEED, counts);

        assertTrue(counts.getOrDefault("refused", 0L) > 10, counts.toString());
    }

    @Test
    @Tag("soak")
    void nothingIsLostWithoutAWordBy10000DamagesOfIndexFiles() throws Exception {
        SoakLog.run("damage-index.log", 10, 300, (seed, counts) -> {
            try {
                damageEachFile(seed, counts);
            } catch (IOException e) {
                throw new TatamiException(ErrorCode.IO_ERROR, "seed " + seed, e);
            }
        });
    }

    /** RocksDB takes many of these for the torn end of a log, and drops what comes behind. */
    @Test
    void aFlippedBitInAHeaderOfAnyRecordOfALogIsFound() throws Exception {
        Path sound = directory.resolve("sound");
        IndexContent content = IndexContent.make(sound, SEED, 15);
        int found = 0;
        for (Path log : logs(sound)) {
            byte[] bytes = Files.readAllBytes(log);
            for (int at : headers(bytes)) {
                for (int bit = Integer.SIZE; bit < LOG_HEADER * Byte.SIZE; bit++) {
                    byte[] damaged = bytes.clone();
                    damaged[at + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                    Files.write(log, damaged);
                    if (RocksLogCheck.findDamage(sound).isEmpty()) {
                        // Then it is RocksDB that refuses.
                        assertEquals("refused", content.lookAt(copyOf(sound)), log + " bit " + bit + " at " + at);
                    }
                    found++;
                }
            }
            int middle = headers(bytes).get(headers(bytes).size() / 2);
            byte[] longer = bytes.clone();
            longer[middle + Integer.BYTES + 1] ^= 0x40;
            Files.write(log, longer);
            assertEquals("refused", content.lookAt(copyOf(sound)), log + " with a length that is too long");
            Files.write(log, bytes);
        }
        assertEquals(List.of(), RocksLogCheck.findDamage(sound));
        assertTrue(found > 300, "only " + found);
    }

    @Test
    void theTornEndOfALogIsNoDamage() throws Exception {
        Path sound = directory.resolve("sound");
        IndexContent content = IndexContent.make(sound, SEED, 200);
        Path log = logs(sound).stream()
                .filter(path -> path.toString().endsWith(".log"))
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(log);
        List<Integer> headers = headers(bytes);
        int last = headers.get(headers.size() - 1);
        for (int length = last; length < bytes.length; length++) {
            Files.write(log, Arrays.copyOf(bytes, length));
            assertEquals(List.of(), RocksLogCheck.findDamage(sound), "cut at " + length + " of " + bytes.length);
        }
        assertEquals("lacks the last 1", content.lookAt(copyOf(sound)));
        Files.write(log, Arrays.copyOf(Arrays.copyOf(bytes, last + LOG_HEADER + 3), bytes.length + SECTOR));
        assertEquals(List.of(), RocksLogCheck.findDamage(sound), "zeros behind the torn record");
    }

    @Test
    void aScrubFindsDamageOfAnOpenStore() throws Exception {
        Path sound = directory.resolve("sound");
        IndexContent.make(sound, SEED, 200);
        try (RocksIndexStore store = RocksIndexStore.open(sound, new FailStop("volume"))) {
            store.write(List.of(new IndexStore.Change(new byte[] {1}, new byte[100])));
            store.write(List.of(new IndexStore.Change(new byte[] {2}, new byte[100])));
            assertEquals(List.of(), store.findDamage());
            flip(last(sound, ".sst"), 1_000);
            assertEquals(1, store.findDamage().size());
            flip(last(sound, ".log"), 20);

            List<String> damages = store.findDamage();

            assertEquals(2, damages.size(), damages.toString());
            assertTrue(damages.get(0).contains(".log"), damages.toString());
            assertTrue(damages.get(1).contains(".sst"), damages.toString());
        }
        TatamiException refused =
                assertThrows(TatamiException.class, () -> RocksIndexStore.open(sound, new FailStop("volume")));
        assertEquals(ErrorCode.CORRUPT, refused.code());
        assertTrue(String.valueOf(refused.getMessage()).contains("format the volume again"), refused.toString());
    }

    @Test
    void aManifestThatIsGoneIsDamageAndNotAnEmptyIndex() throws Exception {
        Path sound = directory.resolve("sound");
        IndexContent content = IndexContent.make(sound, SEED, 20);
        Files.delete(last(sound, "MANIFEST-"));

        assertFalse(RocksLogCheck.findDamage(sound).isEmpty());
        assertEquals("refused", content.lookAt(sound));
    }

    private void damageEachFile(long seed, Map<String, Long> counts) throws IOException, TatamiException {
        Path sound = directory.resolve("sound-" + seed);
        IndexContent content = IndexContent.make(sound, seed, 150);
        Random random = new Random(seed);
        for (Path file : files(sound)) {
            byte[] bytes = Files.readAllBytes(file);
            String name = String.valueOf(file.getFileName());
            if (bytes.length == 0 || name.startsWith("LOG")) {
                continue;
            }
            for (int round = 0; round < 6; round++) {
                byte[] damaged = round < 4 ? withFlippedBit(bytes, random) : withLostSector(bytes, random);
                Files.write(file, damaged);
                String when = "seed " + seed + ", damage " + round + " of " + name;
                String outcome = content.lookAt(copyOf(sound));
                if (outcome.equals("unharmed") || outcome.equals("refused")) {
                    counts.merge(outcome, 1L, Long::sum);
                } else {
                    // A write-ahead log whose last records are zeros looks like one that was never written so far.
                    boolean endIsGone =
                            name.endsWith(".log") && endsInZeros(damaged) && outcome.startsWith("lacks the last ");
                    assertTrue(endIsGone, when + ": " + outcome);
                    counts.merge("logs whose end was zeros", 1L, Long::sum);
                }
            }
            Files.write(file, bytes);
        }
    }

    private static byte[] withFlippedBit(byte[] bytes, Random random) {
        byte[] damaged = bytes.clone();
        damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        return damaged;
    }

    private static byte[] withLostSector(byte[] bytes, Random random) {
        byte[] damaged = bytes.clone();
        int from = random.nextInt((bytes.length + SECTOR - 1) / SECTOR) * SECTOR;
        Arrays.fill(damaged, from, Math.min(bytes.length, from + SECTOR), (byte) 0);
        return damaged;
    }

    private static boolean endsInZeros(byte[] bytes) {
        for (int at = (bytes.length - 1) / SECTOR * SECTOR; at < bytes.length; at++) {
            if (bytes[at] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Where the fragments of a log begin. */
    private static List<Integer> headers(byte[] log) {
        List<Integer> headers = new ArrayList<>();
        ByteBuffer bytes = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (log.length - at >= LOG_HEADER) {
            int left = LOG_BLOCK - at % LOG_BLOCK;
            if (left < LOG_HEADER) {
                at += left;
            } else {
                headers.add(at);
                at += LOG_HEADER + Short.toUnsignedInt(bytes.getShort(at + Integer.BYTES));
            }
        }
        return headers;
    }

    private Path copyOf(Path store) throws IOException {
        Path copy = Files.createTempDirectory(directory, "copy");
        for (Path file : files(store)) {
            Files.copy(file, copy.resolve(file.getFileName()));
        }
        return copy;
    }

    private static List<Path> files(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            return files.sorted().toList();
        }
    }

    private static List<Path> logs(Path store) throws IOException {
        return files(store).stream()
                .filter(file -> file.toString().matches(".*(\\.log|MANIFEST-\\d+)"))
                .toList();
    }

    private static Path last(Path store, String part) throws IOException {
        return files(store).stream()
                .filter(file -> String.valueOf(file.getFileName()).contains(part))
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }
}
