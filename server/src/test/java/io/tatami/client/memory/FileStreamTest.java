package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.file.ReadRange;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.BlockLocation;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that are written are read again, whatever happens to block servers in between. */
final class FileStreamTest {
    private static final int SEED = 7;
    private static final TatamiPath FILE = TatamiPath.ROOT.listedChild("f");

    private final MemoryCluster cluster;
    private final TatamiClient client;
    private final Random random = new Random(SEED);

    FileStreamTest() throws TatamiException {
        cluster = new MemoryCluster(2);
        client = cluster.client();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void smallFilesTouchNoBlockServer() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT, 16 << 10);
        assertTrue(client.status(FILE, true).isInline());
        assertEquals(0, cluster.blocks.get(0).writeStreams());
        assertArrayEquals(bytes, readAll());
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            assertEquals(1, reader.status().blocks().size());
            assertEquals(bytes.length, reader.status().blocks().get(0).lengthBytes());
        }
    }

    @Test
    void smallFilesHaveHostsAndNotAllTheSame() throws Exception {
        Set<String> hosts = new TreeSet<>();
        for (int i = 0; i < 8; i++) {
            TatamiPath file = TatamiPath.ROOT.listedChild("small-" + i);
            try (FileWriter writer = client.create(file, CreateSpec.DEFAULT.withReplication(1))) {
                writer.write(random(100), 0, 100);
            }
            List<LocatedBlock> blocks = client.blockLocations(file, 0, 100);
            assertEquals(1, blocks.size());
            assertEquals(1, blocks.get(0).holders().size());
            assertEquals(blocks, client.blockLocations(file, 0, 100));
            hosts.add(blocks.get(0).holders().get(0).host());
        }
        assertEquals(Set.of("node-1", "node-2"), hosts);
    }

    @Test
    void aSmallFileHasAsManyHostsAsItIsToHaveCopies() throws Exception {
        try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT.withReplication(3))) {
            writer.write(random(100), 0, 100);
        }
        List<LocatedBlock> blocks = client.blockLocations(FILE, 0, 100);
        assertEquals(
                Set.of("node-1", "node-2"),
                blocks.get(0).holders().stream().map(LocatedBlock.Holder::host).collect(Collectors.toSet()));
    }

    @Test
    void emptyFilesHaveNoBlock() throws Exception {
        write(CreateSpec.DEFAULT, 0);
        assertArrayEquals(new byte[0], readAll());
        assertTrue(client.blockLocations(FILE, 0, 1).isEmpty());
    }

    /** A client that is closed has no threads: the caller is the one who reads. */
    @Test
    void anAllocatorThatThrowsOnTheCallersThreadCompletesTheRanges() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT, 3_000_000);
        Error error = new AssertionError("no buffer");
        List<ReadRange> ranges = List.of(ReadRange.of(0, 10), ReadRange.of(bytes.length - 10, 10));
        FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE);
        client.close();

        reader.readRanges(ranges, length -> {
            throw error;
        });

        for (ReadRange range : ranges) {
            ExecutionException failed =
                    assertThrows(ExecutionException.class, () -> range.result().get(1, TimeUnit.MINUTES));
            assertSame(error, failed.getCause());
        }
    }

    @Test
    void filesOfManyTinyBlocksAreReadAsOne() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withBlockSizeBytes(1_000), 25_500);
        assertEquals(
                26, client.open(FILE, ReadPolicy.ADAPTIVE).status().blocks().size());
        assertArrayEquals(bytes, readAll());
        assertEquals(1, client.blockLocations(FILE, 3_000, 1_000).size());
    }

    @Test
    void largeFilesAreWrittenBlockByBlock() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withBlockSizeBytes(4 << 20), (9 << 20) + 13);
        assertEquals(3, client.open(FILE, ReadPolicy.ADAPTIVE).status().blocks().size());
        assertArrayEquals(bytes, readAll());
    }

    @Test
    void aWriterGoesOnInAnotherBlockAfterItsBlockServerFailed() throws Exception {
        cluster.blocks.get(0).failAfterFrames(2);
        byte[] bytes = write(CreateSpec.DEFAULT.withBlockSizeBytes(8 << 20), 6 << 20);
        assertArrayEquals(bytes, readAll());
        assertEquals(1, cluster.metadata.faults.arrivals(MetaMethods.SEAL_BLOCK).size());
    }

    @Test
    void aBlockOfWhichNothingWasTakenGoesToAnotherServer() throws Exception {
        cluster.blocks.get(0).setRefusing(true);
        byte[] bytes = write(CreateSpec.DEFAULT, 3 << 20);
        assertArrayEquals(bytes, readAll());
        BlockLocation block = onlyBlock();
        assertEquals(List.of(2), block.getServerIdList());
        assertTrue(block.getGeneration() > 1);
    }

    @Test
    void aFenceEndsTheWriterForGood() throws Exception {
        FileWriter writer = client.create(FILE, CreateSpec.DEFAULT);
        writer.write(random(2 << 20), 0, 2 << 20);
        writer.hflush();
        assertTrue(cluster.observer().delete(FILE, false));
        cluster.blocks.get(0).failAfterFrames(0);
        IOException first = assertThrows(IOException.class, () -> {
            writer.write(random(4 << 20), 0, 4 << 20);
            writer.hflush();
        });
        assertEquals(ErrorCode.LEASE_EXPIRED, ((TatamiException) first).code());
        TatamiException second = assertThrows(TatamiException.class, writer::close);
        assertEquals(ErrorCode.LEASE_EXPIRED, second.code());
        assertThrows(TatamiException.class, writer::close);
    }

    @Test
    void flushedBytesAreSeenByNewReadersWhileTheFileIsWritten() throws Exception {
        byte[] bytes = random(70_000);
        try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT)) {
            writer.write(bytes, 0, 10_000);
            assertEquals(0, client.open(FILE, ReadPolicy.ADAPTIVE).lengthBytes());
            writer.hflush();
            assertArrayEquals(Arrays.copyOf(bytes, 10_000), readAll());
            writer.write(bytes, 10_000, 60_000);
            writer.hsync(true);
            assertEquals(70_000, client.status(FILE, true).lengthBytes());
            assertArrayEquals(bytes, readAll());
        }
        assertArrayEquals(bytes, readAll());
    }

    @Test
    void hsyncTellsTheHomeOfEachBlockOnce() throws Exception {
        try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT)) {
            for (int i = 0; i < 5; i++) {
                writer.write(random(100), 0, 100);
                writer.hsync(false);
            }
        }
        assertEquals(
                1, cluster.metadata.faults.arrivals(MetaMethods.COMMIT_LENGTH).size());
        assertEquals(500, readAll().length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8})
    void recordsThatAreFlushedTellTheHomeOfEachBlockOnce(int recordsOfABlock) throws Exception {
        byte[] bytes = random(4_000);
        try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT.withBlockSizeBytes(1_000))) {
            int recordBytes = 1_000 / recordsOfABlock;
            for (int at = 0; at < bytes.length; at += recordBytes) {
                writer.write(bytes, at, Math.min(recordBytes, bytes.length - at));
                writer.hflush();
            }
            int told =
                    cluster.metadata.faults.arrivals(MetaMethods.COMMIT_LENGTH).size();
            assertTrue(told <= 2 * 4, "the home was told of lengths " + told + " times");
        }
        assertArrayEquals(bytes, readAll());
    }

    @Test
    void appendsGoOnInTheEntryTheLastBlockOrANewOne() throws Exception {
        byte[] bytes = random(60_000);
        client.create(FILE, CreateSpec.DEFAULT.withBlockSizeBytes(32 << 10)).close();
        int[] ends = {5_000, 20_000, 20_000, 32 << 10, 40_000, 60_000};
        int at = 0;
        for (int end : ends) {
            try (FileWriter writer = client.append(FILE, end == 60_000)) {
                assertEquals(at, writer.position());
                writer.write(bytes, at, end - at);
                at = end;
            }
            assertArrayEquals(Arrays.copyOf(bytes, end), readAll());
        }
        List<BlockLocation> blocks =
                client.open(FILE, ReadPolicy.ADAPTIVE).status().wire().getBlockList();
        assertEquals(
                List.of(32_768L, 7_232L, 20_000L),
                blocks.stream().map(BlockLocation::getLength).toList());
    }

    @Test
    void aReaderTakesTheOtherCopyWhereOneIsRottenOrGone() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withReplication(2), 300_000);
        long block = onlyBlock().getBlockId();
        cluster.blocks.get(1).copyFrom(cluster.blocks.get(0), block);
        FakeBlocks first = readFirst();
        first.corrupt(block, 0);
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate(bytes.length);
            assertEquals(bytes.length, reader.readAt(0, all));
            assertArrayEquals(bytes, all.array());
            assertEquals(1, reader.statistics().checksumFailures());
        }
        first.lose(block);
        assertArrayEquals(bytes, readAll());
    }

    @Test
    void aCopyKnownToBeDamagedIsReadOnlyWhereThereIsNoOther() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withReplication(2), 300_000);
        long block = onlyBlock().getBlockId();
        cluster.blocks.get(1).copyFrom(cluster.blocks.get(0), block);
        cluster.blocks.get(0).corrupt(block, 200_000);
        cluster.blocks.get(0).damage(block);
        assertArrayEquals(bytes, readAll());

        cluster.blocks.get(1).lose(block);
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer sound = ByteBuffer.allocate(3 * ChunkChecksum.CHUNK_BYTES);
            assertEquals(sound.capacity(), reader.readAt(0, sound));
            assertArrayEquals(Arrays.copyOf(bytes, sound.capacity()), sound.array());
            TatamiException rotten =
                    assertThrows(TatamiException.class, () -> reader.readAt(200_000, ByteBuffer.allocate(10)));
            assertEquals(ErrorCode.CORRUPT, rotten.code());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64 << 10, 100_000, 128 << 10, 299_999})
    void theOtherCopyGoesOnWhereOneBecameRotten(int rottenAt) throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withReplication(2), 300_000);
        long block = onlyBlock().getBlockId();
        cluster.blocks.get(1).copyFrom(cluster.blocks.get(0), block);
        readFirst().corrupt(block, rottenAt);
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate(bytes.length);
            assertEquals(bytes.length, reader.readAt(0, all));
            assertArrayEquals(bytes, all.array());
            all.clear();
            while (all.hasRemaining()) {
                int before = all.position();
                assertEquals(before, reader.position());
                assertEquals(reader.read(all), all.position() - before);
            }
            assertArrayEquals(bytes, all.array());
            assertEquals(2, reader.statistics().checksumFailures());
        }
    }

    @Test
    void rottenBytesAreNeverGivenOut() throws Exception {
        write(CreateSpec.DEFAULT, 300_000);
        cluster.blocks.get(0).corrupt(onlyBlock().getBlockId(), 0);
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer some = ByteBuffer.allocate(1_000);
            TatamiException failure = assertThrows(TatamiException.class, () -> reader.read(some));
            assertEquals(ErrorCode.CORRUPT, failure.code());
            assertEquals(0, some.position());
            assertEquals(0, reader.position());
        }
    }

    @Test
    void shortSeeksForwardUseTheStreamThereIs() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT, 5 << 20);
        int before = cluster.blocks.get(0).readStreams();
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            for (int at = 0; at < bytes.length; at += 700_000) {
                reader.seek(at);
                byte[] some = new byte[1_000];
                int length = reader.read(some, 0, some.length);
                assertArrayEquals(Arrays.copyOfRange(bytes, at, at + length), Arrays.copyOf(some, length));
            }
            assertTrue(reader.statistics().skippedBytes() > 0);
            assertThrows(EOFException.class, () -> reader.seek(bytes.length + 1));
            assertThrows(EOFException.class, () -> reader.seek(-1));
            reader.seek(bytes.length);
            assertEquals(-1, reader.read(new byte[1], 0, 1));
        }
        assertEquals(before + 1, cluster.blocks.get(0).readStreams());
    }

    @Test
    void randomSeeksAndReadsGiveTheBytesThatWereWritten() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withBlockSizeBytes(300_000), 2_000_000);
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            for (int i = 0; i < 300; i++) {
                readSomewhere(reader, bytes);
            }
        }
    }

    @Test
    void randomReadsGiveThemAlsoWhereACopyIsRotten() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withReplication(2), 2_000_000);
        long block = onlyBlock().getBlockId();
        cluster.blocks.get(1).copyFrom(cluster.blocks.get(0), block);
        for (int i = 0; i < 50; i++) {
            cluster.blocks.get(i % 2).corrupt(block, random.nextInt(bytes.length));
            cluster.blocks.get(1 - i % 2).corrupt(block, bytes.length);
            try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
                for (int j = 0; j < 6; j++) {
                    readSomewhere(reader, bytes);
                }
            }
        }
    }

    /** The server that the client reads the file from first. */
    private FakeBlocks readFirst() throws Exception {
        int before = cluster.blocks.get(0).readStreams();
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            reader.readAt(0, ByteBuffer.allocate(1));
        }
        return cluster.blocks.get(cluster.blocks.get(0).readStreams() > before ? 0 : 1);
    }

    private void readSomewhere(FileReader reader, byte[] bytes) throws Exception {
        int at = random.nextInt(bytes.length);
        ByteBuffer part = ByteBuffer.allocate(1 + random.nextInt(random.nextInt(10) == 0 ? 1_000_000 : 50_000));
        if (random.nextBoolean()) {
            reader.seek(at);
            assertEquals(reader.read(part), part.position());
        } else {
            int wanted = Math.min(part.capacity(), bytes.length - at);
            assertEquals(wanted, reader.readAt(at, part), "seed " + SEED);
        }
        byte[] expected = Arrays.copyOfRange(bytes, at, at + part.position());
        assertArrayEquals(expected, Arrays.copyOf(part.array(), part.position()), "seed " + SEED);
        if (random.nextInt(20) == 0) {
            reader.unbuffer();
        }
    }

    @Test
    void vectoredRangesAreMergedAndFilled() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withBlockSizeBytes(500_000), 2_000_000);
        try (FileReader reader = client.open(FILE, ReadPolicy.RANDOM)) {
            List<ReadRange> ranges = new ArrayList<>();
            for (int at = 0; at + 20_000 <= bytes.length; at += 30_000) {
                ranges.add(ReadRange.of(at, random.nextInt(20_000)));
            }
            reader.readRanges(ranges, ByteBuffer::allocate);
            for (ReadRange range : ranges) {
                ByteBuffer filled = range.result().get(30, TimeUnit.SECONDS);
                byte[] got = new byte[filled.remaining()];
                filled.get(got);
                int at = (int) range.offsetBytes();
                assertArrayEquals(Arrays.copyOfRange(bytes, at, at + range.lengthBytes()), got);
            }
            assertTrue(reader.statistics().streamsOpened() < ranges.size() / 3);
            assertTrue(reader.statistics().streamsOpened() > 1);
            assertEquals(1, reader.statistics().openings());
            reader.readAt(0, ByteBuffer.allocate(10));
            assertEquals(2, reader.statistics().openings());
            assertThrows(
                    EOFException.class,
                    () -> reader.readRanges(List.of(ReadRange.of(bytes.length - 1, 2)), ByteBuffer::allocate));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> reader.readRanges(List.of(ReadRange.of(0, 10), ReadRange.of(9, 10)), ByteBuffer::allocate));
        }
    }

    @Test
    void checksumsAreThoseOfTheBytesHoweverTheyAreStored() throws Exception {
        for (int length : List.of(0, 1_000, 70_000, 400_000)) {
            byte[] bytes = write(CreateSpec.DEFAULT.withOverwrite(true).withBlockSizeBytes(150_000), length);
            for (int part : List.of(length, length / 2, length / 3)) {
                FileChecksum checksum = client.checksum(FILE, part);
                assertEquals(ChunkChecksum.of(ByteBuffer.wrap(bytes), 0, part), checksum.crc32c(), length + "/" + part);
                assertEquals(part, checksum.lengthBytes());
            }
        }
    }

    @Test
    void anInterruptedWriterCanBeUsedOn() throws Exception {
        FileWriter writer = client.create(FILE, CreateSpec.DEFAULT);
        byte[] bytes = random(40_000);
        writer.write(bytes, 0, 20_000);
        cluster.blocks.forEach(FakeBlocks::holdAnswers);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, writer::hflush);
        assertTrue(Thread.interrupted());
        cluster.blocks.forEach(FakeBlocks::releaseAnswers);
        writer.write(bytes, 20_000, 20_000);
        assertEquals(40_000, writer.position());
        writer.close();
        assertArrayEquals(bytes, readAll());
        writer.close();
    }

    @Test
    void anAbortedFileStaysOpenAtTheCluster() throws Exception {
        FileWriter writer = client.create(FILE, CreateSpec.DEFAULT);
        writer.write(random(100), 0, 100);
        writer.abort();
        assertThrows(TatamiException.class, writer::close);
        assertFalse(client.isClosed(FILE));
    }

    @Test
    void grantsThatWereNotUsedAreGivenBack() throws Exception {
        byte[] bytes = write(CreateSpec.DEFAULT.withBlockSizeBytes(1 << 20), (1 << 20) + (900 << 10));
        assertArrayEquals(bytes, readAll());
        assertEquals(2, client.open(FILE, ReadPolicy.ADAPTIVE).status().blocks().size());
    }

    @Test
    void closingAClientEndsItsWriters() throws Exception {
        TatamiClient other = cluster.client(Map.of());
        FileWriter writer = other.create(FILE, CreateSpec.DEFAULT);
        other.close();
        assertThrows(TatamiException.class, writer::close);
    }

    private BlockLocation onlyBlock() throws TatamiException {
        List<BlockLocation> blocks =
                client.open(FILE, ReadPolicy.ADAPTIVE).status().wire().getBlockList();
        assertEquals(1, blocks.size());
        return blocks.get(0);
    }

    private byte[] write(CreateSpec spec, int length) throws IOException {
        byte[] bytes = random(length);
        try (FileWriter writer = client.create(FILE, spec)) {
            for (int at = 0; at < length; ) {
                int part = Math.min(length - at, 1 + random.nextInt(Math.max(1, length / 3)));
                writer.write(bytes, at, part);
                at += part;
            }
            assertEquals(length, writer.position());
        }
        return bytes;
    }

    private byte[] readAll() throws IOException {
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            assertEquals(all.hasRemaining() ? 0 : -1, reader.read(ByteBuffer.allocate(1)));
            return Arrays.copyOf(all.array(), all.position());
        }
    }

    private byte[] random(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
