package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Causes;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.SoakLog;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.file.ReadRange;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.seed.TestSeed;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of whole blocks that were written so, by a client on the server's host: cluster and client in one process. */
final class LongReadTest {
    private static final int MIB = 1 << 20;
    private static final int SECTOR_BYTES = 4096;
    private static final int FILE_BYTES = 30 * MIB + 5;
    private static final TatamiPath FILE = TatamiPath.ROOT.listedChild("long");

    private final byte[] bytes = new byte[FILE_BYTES];
    private Path volume;
    private StandaloneNode node;
    private TatamiClient client;
    private long sharedBytesWritten;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        Settings settings = Settings.of(Map.of("tatami.client.operation.timeout", "5s"));
        volume = directory.resolve("volume");
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("data"), List.of(volume), 100 * MIB, "localhost", 0, 1),
                settings,
                user -> List.of());
        client = TatamiClient.connect(
                ClusterAddress.of(node.uri()).authority(), UserIdentity.of(System.getProperty("user.name")), settings);
        new SplittableRandom(8).nextBytes(bytes);
        FileWriter writer = client.create(FILE, CreateSpec.DEFAULT.withBlockSizeBytes(16 * MIB));
        try (writer) {
            writer.write(bytes, 0, FILE_BYTES);
        }
        sharedBytesWritten = writer.sharedBytes();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        node.close();
    }

    @Test
    void allBlocksPassThroughMemoryBothWays() throws Exception {
        assertEquals(FILE_BYTES, sharedBytesWritten);
        ByteBuffer all = ByteBuffer.allocate(FILE_BYTES);
        try (FileReader reader = client.open(FILE, ReadPolicy.SEQUENTIAL)) {
            read(reader, all);
            assertEquals(FILE_BYTES, reader.statistics().sharedBytes());
        }
        assertArrayEquals(bytes, all.array());
    }

    @ParameterizedTest
    @ValueSource(ints = {20 * MIB, 21 * MIB + (64 << 10)})
    void theServerFindsWhatItsReaderFoundBroken(int rottenAt) throws Exception {
        flipBit(addressOf(rottenAt), 0);
        ByteBuffer all = ByteBuffer.allocate(FILE_BYTES);
        try (FileReader reader = client.open(FILE, ReadPolicy.SEQUENTIAL)) {
            TatamiException corrupt = assertThrows(TatamiException.class, () -> read(reader, all));
            assertEquals(ErrorCode.CORRUPT, corrupt.code());
            assertTrue(String.valueOf(corrupt.getMessage()).contains(volume.toString()), corrupt.toString());
        }
        assertEquals(rottenAt, all.position());
        assertArrayEquals(Arrays.copyOf(bytes, rottenAt), Arrays.copyOf(all.array(), rottenAt));
    }

    @Test
    void damageThatAReaderMeetsIsInFsckWithoutAnAuditAndTheRestOfTheBlockIsReadable() throws Exception {
        assertEquals(List.of(), client.cluster().fsck(TatamiPath.ROOT).findings());
        int rottenAt = 20 * MIB;
        flipBit(addressOf(rottenAt), 0);
        try (FileReader reader = client.open(FILE, ReadPolicy.SEQUENTIAL)) {
            assertThrows(TatamiException.class, () -> read(reader, ByteBuffer.allocate(FILE_BYTES)));
        }

        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (client.cluster().fsck(TatamiPath.ROOT).findings().stream()
                .noneMatch(found -> found.finding().getProblem().endsWith("is damaged"))) {
            assertTrue(System.nanoTime() < endNanos, "the shard did not hear of the damage");
        }
        try (FileReader reader = client.open(FILE, ReadPolicy.RANDOM)) {
            for (int from : new int[] {16 * MIB, rottenAt + ChunkChecksum.CHUNK_BYTES}) {
                ByteBuffer part = ByteBuffer.allocate(MIB);
                assertEquals(MIB, reader.readAt(from, part));
                assertArrayEquals(Arrays.copyOfRange(bytes, from, from + MIB), part.array());
            }
        }
    }

    @Test
    void whateverIsRottenEveryReadGivesTheFilesBytesOrFails() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        Random random = TestSeed.random();
        for (int round = 0; round < 20; round++) {
            readAroundRot(random, counts);
        }
        assertEquals(Set.of("reads", "reads that failed"), counts.keySet());
    }

    @Test
    @Tag("soak")
    void inTheLongRunToo() throws Exception {
        SoakLog.run("rotten-reads.log", 500, 10_000, (seed, counts) -> readAroundRot(new Random(seed), counts));
    }

    /** Flips a bit, reads here and there in every way, most often near to it, and flips it back. */
    private void readAroundRot(Random random, Map<String, Long> counts) throws Exception {
        int rottenAt = random.nextInt(FILE_BYTES / SECTOR_BYTES) * SECTOR_BYTES;
        long address = addressOf(rottenAt) + random.nextInt(SECTOR_BYTES);
        int bit = random.nextInt(Byte.SIZE);
        int rottenChunk = rottenAt / ChunkChecksum.CHUNK_BYTES * ChunkChecksum.CHUNK_BYTES;
        flipBit(address, bit);
        try (FileReader reader = client.open(FILE, ReadPolicy.values()[random.nextInt(ReadPolicy.values().length)])) {
            for (int read = 0; read < 4; read++) {
                int length = 1 + random.nextInt(random.nextBoolean() ? 5 * MIB : 100_000);
                int from = Math.max(0, Math.min(FILE_BYTES - length, rottenAt - random.nextInt(2 * length)));
                ByteBuffer part = ByteBuffer.allocate(length);
                boolean isSound = from >= rottenChunk + ChunkChecksum.CHUNK_BYTES || from + length <= rottenChunk;
                TatamiException failure = null;
                try {
                    readInSomeWay(random, reader, from, part);
                } catch (TatamiException e) {
                    failure = e;
                }
                String what = length + " bytes at " + from + ", rotten at " + rottenAt + ": " + failure;
                assertEquals(isSound ? null : ErrorCode.CORRUPT, failure == null ? null : failure.code(), what);
                int given = part.position();
                assertTrue(failure == null || given <= Math.max(0, rottenChunk - from), what);
                assertArrayEquals(Arrays.copyOfRange(bytes, from, from + given), Arrays.copyOf(part.array(), given));
                counts.merge("reads", 1L, Long::sum);
                if (failure != null) {
                    counts.merge("reads that failed", 1L, Long::sum);
                }
            }
        } finally {
            flipBit(address, bit);
        }
    }

    /** Leaves the buffer's position behind what was read. */
    private static void readInSomeWay(Random random, FileReader reader, int from, ByteBuffer part) throws Exception {
        int way = random.nextInt(3);
        if (way == 0) {
            reader.seek(from);
            read(reader, part);
        } else if (way == 1) {
            assertEquals(part.capacity(), reader.readAt(from, part));
        } else {
            int first = part.capacity() / 2;
            List<ReadRange> ranges =
                    List.of(ReadRange.of(from, first), ReadRange.of(from + first, part.capacity() - first));
            reader.readRanges(ranges, ByteBuffer::allocate);
            for (ReadRange range : ranges) {
                try {
                    part.put(range.result().get(20, TimeUnit.SECONDS));
                } catch (ExecutionException e) {
                    throw Causes.of(e);
                }
            }
        }
    }

    private static void read(FileReader reader, ByteBuffer into) throws Exception {
        while (into.hasRemaining()) {
            assertTrue(reader.read(into) > 0);
        }
    }

    /** Where on the volume a sector of the file is. */
    private long addressOf(int at) throws IOException {
        byte[] wanted = Arrays.copyOfRange(bytes, at, at + SECTOR_BYTES);
        byte[] sector = new byte[SECTOR_BYTES];
        try (RandomAccessFile file = new RandomAccessFile(volume.toFile(), "r")) {
            for (long address = 0; address < file.length(); address += SECTOR_BYTES) {
                file.seek(address);
                file.readFully(sector);
                if (Arrays.equals(sector, wanted)) {
                    return address;
                }
            }
        }
        throw new AssertionError("the volume does not hold the file's bytes");
    }

    private void flipBit(long address, int bit) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(volume.toFile(), "rw")) {
            file.seek(address);
            int value = file.read();
            file.seek(address);
            file.write(value ^ 1 << bit);
        }
    }
}
