package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.PendingFrame;
import io.tatami.client.block.SharedUnits;
import io.tatami.client.block.WriteSpec;
import io.tatami.conf.Settings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.MemoryMapped;
import io.tatami.protocol.wire.MemoryOffer;
import io.tatami.protocol.wire.ShareMemoryReply;
import io.tatami.protocol.wire.ShareMemoryRequest;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers on the server's host put their bytes into memory that the server reads; it trusts none of them. */
final class SharedWriteTest {
    private static final int MIB = 1 << 20;
    private static final int BLOCK_BYTES = 20 * MIB + 777;
    private static final int REGION_MIB = 16;
    private static final WriteSpec SPEC = WriteSpec.create(BlockRig.block(1), Generation.FIRST, BLOCK_BYTES);

    @TempDir
    Path directory;

    private final BlockId block = SPEC.block();
    private final byte[] bytes = BlockRig.bytes(4, BLOCK_BYTES);
    private Path shared;

    @BeforeEach
    void makeDirectory() throws IOException {
        shared = Files.createDirectory(directory.resolve("shared"));
    }

    @Test
    void longWritesGoThroughMemoryWhateverTheirStepsAndFlushes() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        try (BlockRig rig = rig(1, 64)) {
            for (int round = 1; round <= 2; round++) {
                BlockId id = BlockRig.block(round);
                try (BlockWriteStream stream =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(id, Generation.FIRST, BLOCK_BYTES))) {
                    while (stream.position() < BLOCK_BYTES) {
                        int at = (int) stream.position();
                        stream.write(bytes, at, Math.min(BLOCK_BYTES - at, 1 + random.nextInt(3 * MIB)));
                        flushSometimes(stream, random.nextInt(4));
                    }
                    assertEquals(BLOCK_BYTES, stream.finish());
                    assertEquals(BLOCK_BYTES, stream.sharedBytes());
                }
                assertArrayEquals(bytes, rig.read(0, id, 0, BLOCK_BYTES + 1));
            }
            assertEquals(List.of(), list(list(shared).get(0)), "no name is left");
        }
    }

    private static void flushSometimes(BlockWriteStream stream, int how) throws TatamiException {
        if (how == 0) {
            stream.hflush();
            assertEquals(stream.position(), stream.visibleLength());
        } else if (how == 1) {
            stream.hsync();
            assertEquals(stream.position(), stream.durableLength());
        }
    }

    @Test
    void oneWritersMemoryIsTheNextOnes() throws Exception {
        try (BlockRig rig = rig(1, 64)) {
            for (int number = 1; number <= 2; number++) {
                write(rig, BlockRig.block(number), BLOCK_BYTES);
            }
            assertEquals(REGION_MIB, lentMebibytes(rig));
            for (int number = 1; number <= 2; number++) {
                assertArrayEquals(bytes, rig.read(0, BlockRig.block(number), 0, BLOCK_BYTES));
            }
        }
    }

    /** @param sharedBytes how many of the bytes shall go through memory */
    private void write(BlockRig rig, BlockId id, long sharedBytes) throws TatamiException {
        try (BlockWriteStream stream =
                rig.client.openWriter(rig.chain(), WriteSpec.create(id, Generation.FIRST, BLOCK_BYTES))) {
            BlockRig.write(stream, bytes);
            assertEquals(BLOCK_BYTES, stream.finish());
            assertEquals(sharedBytes, stream.sharedBytes());
        }
    }

    @Test
    void blocksOfAFewKilobytesAskForNoMemory() throws Exception {
        try (BlockRig rig = rig(1, 64)) {
            WriteSpec packed = WriteSpec.createPacked(block, Generation.FIRST, 100_000);
            WriteSpec nearlyFull = WriteSpec.create(BlockRig.block(2), Generation.FIRST, 100_000);
            for (WriteSpec spec : List.of(packed, nearlyFull)) {
                try (BlockWriteStream stream = rig.client.openWriter(rig.chain(), spec)) {
                    stream.write(bytes, 0, 100_000);
                    stream.finish();
                    assertEquals(0, stream.sharedBytes());
                }
            }
            assertEquals(0, lentMebibytes(rig));
        }
    }

    @Test
    void manyBlocksKnownToBeShortShareOneUnit() throws Exception {
        int length = MIB - 1_001;
        try (BlockRig rig = rig(1, 64)) {
            long sharedBytes = 0;
            for (int number = 1; number <= 20; number++) {
                BlockId id = BlockRig.block(number);
                try (BlockWriteStream stream =
                        rig.client.openWriter(rig.chain(), WriteSpec.createPacked(id, Generation.FIRST, length))) {
                    stream.write(bytes, number, length);
                    assertEquals(length, stream.finish());
                    sharedBytes += stream.sharedBytes();
                }
            }
            assertEquals(12L * length, sharedBytes, "the first 8 MiB are sent");
            assertEquals(SharedUnits.UNIT_BYTES / MIB, lentMebibytes(rig));
            for (int number = 1; number <= 20; number++) {
                byte[] read = rig.read(0, BlockRig.block(number), 0, length);
                assertArrayEquals(Arrays.copyOfRange(bytes, number, number + length), read);
            }
        }
    }

    @Test
    void aBlockIsContinuedAndCutAtOddLengthsThroughMemory() throws Exception {
        int first = 5 * MIB + 1_001;
        int cut = 4 * MIB - 3;
        try (BlockRig rig = rig(1, 64)) {
            try (BlockWriteStream stream = rig.client.openWriter(rig.chain(), SPEC)) {
                stream.write(bytes, 0, first);
                stream.finish();
            }
            byte[] expected = Arrays.copyOf(bytes, cut + 3 * MIB);
            System.arraycopy(bytes, 0, expected, cut, 3 * MIB);
            try (BlockWriteStream stream =
                    rig.client.openWriter(rig.chain(), SPEC.continuedAt(Generation.of(2), cut))) {
                stream.write(bytes, 0, 3 * MIB);
                stream.finish();
                assertEquals(3 * MIB, stream.sharedBytes());
            }
            assertArrayEquals(expected, rig.read(0, block, 0, BLOCK_BYTES));
        }
    }

    @Test
    void whoFindsAllMemoryLentSendsItsBytes() throws Exception {
        try (BlockRig rig = rig(1, REGION_MIB);
                BlockWriteStream first = rig.client.openWriter(rig.chain(), SPEC);
                BlockWriteStream second = rig.client.openWriter(
                        rig.chain(), WriteSpec.create(BlockRig.block(2), Generation.FIRST, BLOCK_BYTES))) {
            BlockRig.write(first, bytes);
            BlockRig.write(second, bytes);
            assertEquals(BLOCK_BYTES, second.finish());
            assertEquals(BLOCK_BYTES, first.finish());
            assertEquals(0, second.sharedBytes());
            assertEquals(BLOCK_BYTES, first.sharedBytes());
            assertArrayEquals(bytes, rig.read(0, block, 0, BLOCK_BYTES));
            assertArrayEquals(bytes, rig.read(0, BlockRig.block(2), 0, BLOCK_BYTES));
        }
    }

    @Test
    void aServerThatLendsNothingIsSentTheBytes() throws Exception {
        try (BlockRig rig = rig(1, 0)) {
            write(rig, block, 0);
            assertArrayEquals(bytes, rig.read(0, block, 0, BLOCK_BYTES));
        }
    }

    @Test
    void theServersBehindHaveTheBytesAndTheyGoOnWithoutTheFirst() throws Exception {
        try (BlockRig rig = rig(3, 64)) {
            BlockWriteStream broken = rig.client.openWriter(rig.chain(), SPEC);
            broken.write(bytes, 0, 3 * MIB + 17);
            broken.hflush();
            broken.write(bytes, 3 * MIB + 17, 500_000);
            rig.server(0).stop();
            assertThrows(TatamiException.class, broken::hflush);
            int acknowledged = (int) broken.visibleLength();
            int taken = (int) broken.position();
            assertEquals(3 * MIB + 17, acknowledged);
            assertEquals(acknowledged + 500_000, taken);
            assertEquals(1, broken.failedServer().value());
            List<PendingFrame> frames = broken.takeUnacknowledged();
            broken.close();

            try (BlockWriteStream stream = rig.client.openWriter(
                    List.of(rig.target(1), rig.target(2)), SPEC.continuedAt(Generation.of(2), acknowledged))) {
                stream.awaitReady();
                stream.resend(frames);
                stream.write(bytes, taken, BLOCK_BYTES - taken);
                assertEquals(BLOCK_BYTES, stream.finish());
                assertEquals(BLOCK_BYTES - taken, stream.sharedBytes());
            }
            assertArrayEquals(bytes, rig.read(1, block, 0, BLOCK_BYTES));
            assertArrayEquals(bytes, rig.read(2, block, 0, BLOCK_BYTES));
        }
    }

    @Test
    void bytesThatAreNotWhatWasAnnouncedAreRefusedAndNothingOfThemIsStored() throws Exception {
        try (BlockRig rig = rig(1, 64);
                Writer writer = new Writer(rig, 2)) {
            writer.memory.memory().put(5, bytes, 0, 1_000);
            writer.memory.memory().put(900, (byte) ~bytes[895]);
            assertEquals(
                    ErrorCode.CORRUPT, writer.refusal(announcement(0, 5, 1_000)).code());
            TatamiException absent =
                    assertThrows(TatamiException.class, () -> rig.read(0, BlockRig.block(7), 0, 1_000));
            assertEquals(ErrorCode.NO_SUCH_BLOCK, absent.code());
            write(rig, block, BLOCK_BYTES);
        }
    }

    @Test
    void announcementsOfWhatCannotBeEndTheirStreamAndHarmNoOther() throws Exception {
        try (BlockRig rig = rig(1, 64);
                BlockWriteStream healthy = rig.client.openWriter(rig.chain(), SPEC);
                Writer writer = new Writer(rig, 2)) {
            healthy.write(bytes, 0, 10 * MIB);
            for (int[] place : new int[][] {
                {-1, 0, 1_000},
                {2, 0, 1_000},
                {Integer.MAX_VALUE, 0, 1_000},
                {0, -1, 1_000},
                {0, Integer.MIN_VALUE, 1_000},
                {1, SharedUnits.UNIT_BYTES - 999, 1_000},
                {1, Integer.MAX_VALUE, 1_000},
                {0, 0, 0},
                {0, 0, -1},
                {0, 0, Integer.MIN_VALUE},
                {0, 0, MIB + 1},
                {0, 0, Integer.MAX_VALUE}
            }) {
                TatamiException refusal = writer.refusal(announcement(place[0], place[1], place[2]));
                assertEquals(ErrorCode.MALFORMED, refusal.code(), Arrays.toString(place));
                assertTrue(
                        String.valueOf(refusal.getMessage()).contains(Integer.toString(place[2])), refusal.toString());
            }
            assertEquals(
                    ErrorCode.MALFORMED,
                    writer.refusal(announcement(0, 0, 10), 10).code());
            writer.name = "/a/name/that/is/not/lent";
            assertEquals(
                    ErrorCode.MALFORMED, writer.refusal(announcement(0, 0, 10)).code());
            writer.name = "";
            assertEquals(
                    ErrorCode.MALFORMED, writer.refusal(announcement(0, 0, 10)).code());
            healthy.write(bytes, 10 * MIB, BLOCK_BYTES - 10 * MIB);
            assertEquals(BLOCK_BYTES, healthy.finish());
            assertArrayEquals(bytes, rig.read(0, block, 0, BLOCK_BYTES));
        }
    }

    @Test
    void memoryThatItsWriterCutsShortEndsThatStreamAlone() throws Exception {
        try (BlockRig rig = rig(1, 64);
                BlockWriteStream healthy = rig.client.openWriter(rig.chain(), SPEC);
                Writer writer = new Writer(rig, 1)) {
            healthy.write(bytes, 0, 10 * MIB);
            writer.file.truncate(500);
            TatamiException refusal = writer.refusal(announcement(0, 0, 1_000));
            assertEquals(ErrorCode.MALFORMED, refusal.code());
            assertTrue(String.valueOf(refusal.getMessage()).contains("ends at byte"), refusal.toString());
            healthy.write(bytes, 10 * MIB, BLOCK_BYTES - 10 * MIB);
            assertEquals(BLOCK_BYTES, healthy.finish());
        }
    }

    @Test
    void memoryIsBackWhenItsWriterIsGone() throws Exception {
        try (BlockRig rig = rig(1, 64)) {
            BlockWriteStream stream = rig.client.openWriter(rig.chain(), SPEC);
            stream.write(bytes, 0, 5 * MIB);
            assertEquals(REGION_MIB, lentMebibytes(rig));
            rig.disconnect();
            BlockDamageTest.awaitTrue(() -> lentMebibytes(rig) == 0);
            assertThrows(TatamiException.class, stream::finish);
            stream.close();
        }
        assertEquals(List.of(), list(shared));
    }

    @Test
    void memoryOfAWriterThatGivesUpIsBackWithTheServer() throws Exception {
        try (BlockRig rig = rig(1, 64)) {
            BlockWriteStream stream = rig.client.openWriter(rig.chain(), SPEC);
            stream.write(bytes, 0, 5 * MIB);
            stream.close();
            BlockDamageTest.awaitTrue(() -> lentMebibytes(rig) == 0);
        }
    }

    /** Says that the first bytes of the tests' lie there. */
    private WriteFrame announcement(int unit, int start, int length) {
        WriteFrame.Builder frame = WriteFrame.newBuilder()
                .setSequence(1)
                .setSharedUnit(unit)
                .setStart(start)
                .setLength(length);
        int present = Math.max(1, Math.min(2 * MIB, length));
        for (int checksum : ChunkChecksum.ofPieces(0, ByteBuffer.wrap(bytes, 0, present))) {
            frame.addChecksum(checksum);
        }
        return frame.build();
    }

    /** A writer that does not keep to what clients do. */
    private final class Writer implements AutoCloseable {
        private final Connection connection;
        private final RpcStream<MemoryMapped> lease;
        final SharedUnits memory;
        final FileChannel file;
        String name;

        Writer(BlockRig rig, int units) throws Exception {
            Heard<MemoryOffer, ShareMemoryReply> offered = new Heard<>();
            connection = rig.connect(0);
            lease = connection.openStream(
                    BlockMethods.SHARE_MEMORY,
                    CallOptions.DEFAULT.withTimeoutMillis(0),
                    ShareMemoryRequest.newBuilder()
                            .setUnits(units)
                            .setWritten(true)
                            .build(),
                    offered);
            MemoryOffer offer = Objects.requireNonNull(offered.messages.poll(20, TimeUnit.SECONDS));
            name = offer.getPath();
            memory = SharedUnits.mapWritable(Path.of(name), units);
            file = FileChannel.open(Path.of(name), StandardOpenOption.WRITE);
            lease.send(MemoryMapped.getDefaultInstance());
        }

        TatamiException refusal(WriteFrame announcement) throws Exception {
            return refusal(announcement, 0);
        }

        /** What a new stream ends with that begins with such a frame. */
        TatamiException refusal(WriteFrame announcement, int payloadBytes) throws Exception {
            Heard<WriteAck, WriteBlockReply> heard = new Heard<>();
            WriteBlockRequest request = WriteBlockRequest.newBuilder()
                    .setBlockId(BlockRig.block(7).value())
                    .setGeneration(1)
                    .setReserveBytes(2 * MIB)
                    .setSharedMemory(name)
                    .build();
            RpcStream<WriteFrame> stream = connection.openStream(
                    BlockMethods.WRITE_BLOCK, CallOptions.DEFAULT.withTimeoutMillis(0), request, heard);
            stream.sendAndRelease(announcement, Unpooled.wrappedBuffer(bytes, 0, payloadBytes));
            return heard.failure();
        }

        @Override
        public void close() throws IOException {
            file.close();
            memory.close();
            lease.cancel("over");
        }
    }

    private static long lentMebibytes(BlockRig rig) {
        return rig.server(0).running().server().memory().lentBytes() / MIB;
    }

    private BlockRig rig(int servers, int sharedMebibytes) throws IOException {
        BlockServerSettings settings = BlockServerSettings.from(Settings.of(Map.of(
                "tatami.block.shared.memory",
                sharedMebibytes + "m",
                "tatami.block.shared.directory",
                shared.toString())));
        return new BlockRig(directory, servers, settings);
    }

    private static List<Path> list(Path path) {
        try (Stream<Path> files = Files.list(path)) {
            return files.toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
