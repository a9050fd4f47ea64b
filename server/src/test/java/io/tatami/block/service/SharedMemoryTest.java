package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.ReadTerms;
import io.tatami.client.block.WriteSpec;
import io.tatami.conf.Settings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.MemoryMapped;
import io.tatami.protocol.wire.MemoryOffer;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.protocol.wire.ShareMemoryReply;
import io.tatami.protocol.wire.ShareMemoryRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
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

/** Readers on the server's host read from memory that both see; the bytes are the same, and nobody is left out. */
final class SharedMemoryTest {
    private static final int MIB = 1 << 20;
    private static final int BLOCK_BYTES = 30 * MIB + 777;
    private static final int REGION_MIB = 24;

    @TempDir
    Path directory;

    private final BlockId block = BlockRig.block(1);
    private final byte[] bytes = BlockRig.bytes(4, BLOCK_BYTES);
    private Path shared;

    @BeforeEach
    void makeDirectory() throws IOException {
        shared = Files.createDirectory(directory.resolve("shared"));
    }

    @Test
    void longReadsComeThroughMemoryWhateverTheirEndsAndSteps() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        try (BlockRig rig = rig(64)) {
            write(rig);
            for (int round = 0; round < 20; round++) {
                int length = 8 * MIB + random.nextInt(BLOCK_BYTES - 8 * MIB + 1);
                int from = random.nextInt(BLOCK_BYTES - length + 1);
                ByteBuffer result = ByteBuffer.allocateDirect(length + 1);
                try (BlockReadStream stream =
                        rig.client.openReader(rig.target(0), block, Generation.FIRST, from, length)) {
                    int skipped = 0;
                    while (stream.position() < from + length) {
                        if (random.nextInt(8) == 0) {
                            int step = (int) stream.skip(random.nextInt(3 * MIB));
                            result.position(result.position() + step);
                            skipped += step;
                        } else {
                            ByteBuffer part = result.slice(
                                    result.position(), Math.min(result.remaining(), 1 + random.nextInt(2 * MIB)));
                            int count = stream.read(part);
                            int at = from + result.position();
                            assertEquals(
                                    ByteBuffer.wrap(bytes, at, count), part.flip(), "round " + round + " at " + at);
                            result.position(result.position() + count);
                        }
                    }
                    assertEquals(-1, stream.read(ByteBuffer.allocate(1)));
                    assertEquals(length - skipped, stream.sharedBytes());
                }
            }
            assertEquals(REGION_MIB, rig.server(0).running().server().memory().lentBytes() / MIB, "one is used again");
        }
    }

    @Test
    void shortReadsComeThroughMemoryOnceTheyAreMany() throws Exception {
        int length = 3 * MIB;
        try (BlockRig rig = rig(64)) {
            write(rig);
            for (int round = 0; round < 6; round++) {
                int from = round * length + round;
                try (BlockReadStream stream =
                        rig.client.openReader(rig.target(0), block, Generation.FIRST, from, length)) {
                    byte[] read = new byte[length];
                    for (int at = 0; at < length; ) {
                        at += stream.read(read, at, length - at);
                    }
                    assertArrayEquals(Arrays.copyOfRange(bytes, from, from + length), read);
                    assertEquals(round < 2 ? 0 : length, stream.sharedBytes(), "round " + round);
                }
            }
            try (BlockReadStream tiny = rig.client.openReader(rig.target(0), block, Generation.FIRST, 5, 100_000)) {
                assertTrue(tiny.read(ByteBuffer.allocate(1)) > 0);
                assertEquals(0, tiny.sharedBytes());
            }
            assertEquals(REGION_MIB, rig.server(0).running().server().memory().lentBytes() / MIB);
            BlockServerMetrics metrics = rig.server(0).running().server().metrics();
            BlockDamageTest.awaitTrue(() -> metrics.readStreams() == 0);
        }
    }

    @Test
    void whoFindsAllMemoryLentIsSentWhatItReads() throws Exception {
        try (BlockRig rig = rig(REGION_MIB)) {
            write(rig);
            try (BlockReadStream first = rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES);
                    BlockReadStream second =
                            rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES)) {
                assertArrayEquals(bytes, readAll(second));
                assertEquals(0, second.sharedBytes());
                assertArrayEquals(bytes, readAll(first));
                assertEquals(BLOCK_BYTES, first.sharedBytes());
            }
        }
    }

    @Test
    void aReaderThatStandsStillWithAllItsMemoryFullHoldsUpNoOther() throws Exception {
        BlockServerSettings settings = settings(256, Map.of("tatami.block.read.threads", "1"));
        try (BlockRig rig = new BlockRig(directory, 1, settings)) {
            write(rig);
            try (BlockReadStream still =
                    rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES)) {
                assertTrue(still.read(ByteBuffer.allocate(1)) > 0);
                for (int other = 0; other < 3; other++) {
                    try (BlockReadStream moving =
                            rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES)) {
                        assertArrayEquals(bytes, readAll(moving));
                    }
                }
                byte[] rest = readAll(still);
                assertArrayEquals(Arrays.copyOfRange(bytes, 1, BLOCK_BYTES), Arrays.copyOf(rest, BLOCK_BYTES - 1));
            }
        }
    }

    @Test
    void namesAreGoneOnceMemoryIsMappedAndMemoryOnceItsReaderIs() throws Exception {
        BlockRig rig = rig(64);
        BlockServer server = rig.server(0).running().server();
        try (rig) {
            write(rig);
            try (BlockReadStream stream =
                    rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES)) {
                assertArrayEquals(bytes, readAll(stream));
                Path made = list(shared).get(0);
                assertEquals("rwx--x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
                BlockDamageTest.awaitTrue(() -> list(made).isEmpty());
                assertEquals(REGION_MIB, server.memory().lentBytes() / MIB);
            }
            rig.disconnect();
            BlockDamageTest.awaitTrue(() -> server.memory().lentBytes() == 0);
        }
        assertEquals(List.of(), list(shared));
    }

    @Test
    void whatAServerThatIsNoMoreLeftBehindGoesWithTheNextOne() throws Exception {
        Process over = new ProcessBuilder("sh", "-c", ":").start();
        over.waitFor();
        Path old = Files.createDirectory(shared.resolve("tatami-shared-" + over.pid() + "-1"));
        Files.createFile(old.resolve("memory"));
        Path others = Files.createDirectory(shared.resolve("somebody-elses"));
        try (BlockRig rig = rig(64)) {
            write(rig);
            try (BlockReadStream stream =
                    rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES)) {
                assertArrayEquals(bytes, readAll(stream));
            }
        }
        assertEquals(List.of(others), list(shared));
    }

    @Test
    void noFileSystemInMemoryAndNoMemoryToShareAreNoReasonNotToRead() throws Exception {
        Files.delete(shared);
        for (int mebibytes : new int[] {0, 64}) {
            try (BlockRig rig = new BlockRig(
                    Files.createDirectory(directory.resolve("m" + mebibytes)), 1, settings(mebibytes, Map.of()))) {
                write(rig);
                try (BlockReadStream stream =
                        rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES)) {
                    assertArrayEquals(bytes, readAll(stream));
                    assertEquals(0, stream.sharedBytes());
                }
            }
        }
    }

    @Test
    void aReaderWhoseMemoryADeviceDoesNotGiveBackIsSentWhatItReads() throws Exception {
        try (BlockRig rig = rig(64)) {
            write(rig);
            Heard<MemoryOffer, ShareMemoryReply> offered = new Heard<>();
            RpcStream<MemoryMapped> lease = rig.connect(0)
                    .openStream(
                            BlockMethods.SHARE_MEMORY,
                            CallOptions.DEFAULT.withTimeoutMillis(0),
                            ShareMemoryRequest.newBuilder().setUnits(2).build(),
                            offered);
            String name = Objects.requireNonNull(offered.messages.poll(20, TimeUnit.SECONDS))
                    .getPath();
            AlignedBufferPool memory =
                    rig.server(0).running().server().memory().findRead(name).orElseThrow();
            AlignedBuffer first = Objects.requireNonNull(memory.acquire(0));
            AlignedBuffer second = Objects.requireNonNull(memory.acquire(0));
            Heard<ReadFrame, ReadBlockReply> heard = new Heard<>();
            ReadBlockRequest request = ReadBlockRequest.newBuilder()
                    .setBlockId(block.value())
                    .setLength(6 * MIB)
                    .setSharedMemory(name)
                    .build();
            RpcStream<ReadWindowUpdate> unused = rig.connect(0)
                    .openStream(BlockMethods.READ_BLOCK, CallOptions.DEFAULT.withTimeoutMillis(0), request, heard);
            assertEquals(6 * MIB, heard.end.get(20, TimeUnit.SECONDS).getLength());
            assertArrayEquals(Arrays.copyOf(bytes, 6 * MIB), heard.payload.toByteArray());
            first.release();
            second.release();
            lease.cancel("over");
        }
    }

    @Test
    void aRottenChunkIsFoundByItsReaderAndByTheServerThatIsAskedWithoutMemory() throws Exception {
        int rottenAt = 17 * MIB + 70_000;
        try (BlockRig rig = rig(64)) {
            write(rig);
            rig.server(0).stop();
            BlockDamageTest.flipByteAfter(rig.server(0).volumeFile, Arrays.copyOfRange(bytes, rottenAt, rottenAt + 64));
            rig.server(0).start();
            for (boolean sharing : new boolean[] {true, false}) {
                try (BlockReadStream stream = rig.client.openReader(
                        rig.target(0), block, Generation.FIRST, 0, BLOCK_BYTES, new ReadTerms(sharing, false))) {
                    TatamiException corrupt = assertThrows(TatamiException.class, () -> readAll(stream));
                    assertEquals(ErrorCode.CORRUPT, corrupt.code());
                    assertTrue(stream.position() <= rottenAt, "given out up to " + stream.position());
                    assertEquals(sharing, stream.sharesMemory());
                }
                // Of what came through the memory the reader says so, of the rest the server finds out by itself.
                int found = sharing ? 1 : 2;
                BlockDamageTest.awaitTrue(
                        () -> rig.server(0).running().volume().statistics().damagedChunks() == found);
            }
        }
    }

    @Test
    void memoryIsForTheConnectionAloneThatItWasLentOn() throws Exception {
        try (BlockRig rig = rig(64)) {
            write(rig);
            Heard<MemoryOffer, ShareMemoryReply> offered = new Heard<>();
            RpcStream<MemoryMapped> lease = askForMemory(rig.connect(0), offered);
            String name = Objects.requireNonNull(offered.messages.poll(20, TimeUnit.SECONDS))
                    .getPath();
            ReadBlockRequest request = ReadBlockRequest.newBuilder()
                    .setBlockId(block.value())
                    .setLength(MIB)
                    .setWindowBytes(4 * MIB)
                    .setSharedMemory(name)
                    .build();

            Heard<ReadFrame, ReadBlockReply> other = new Heard<>();
            RpcStream<ReadWindowUpdate> unused = rig.client
                    .bulkConnection(rig.target(0))
                    .openStream(BlockMethods.READ_BLOCK, CallOptions.DEFAULT.withTimeoutMillis(0), request, other);
            assertEquals(MIB, other.end.get(20, TimeUnit.SECONDS).getLength());
            assertArrayEquals(Arrays.copyOf(bytes, MIB), other.payload.toByteArray());

            Heard<ReadFrame, ReadBlockReply> own = new Heard<>();
            RpcStream<ReadWindowUpdate> unusedToo = rig.connect(0)
                    .openStream(BlockMethods.READ_BLOCK, CallOptions.DEFAULT.withTimeoutMillis(0), request, own);
            assertEquals(MIB, own.end.get(20, TimeUnit.SECONDS).getLength());
            assertEquals(0, own.payload.size());
            lease.cancel("over");
        }
    }

    @Test
    void oneConnectionLeavesAsMuchToTheOthersAsItHas() throws Exception {
        try (BlockRig rig = rig(64)) {
            List<Boolean> lent = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                lent.add(isLent(rig.connect(0)));
            }
            assertEquals(List.of(true, true, true, true, false, false, false, false), lent);

            assertTrue(isLent(rig.client.bulkConnection(rig.target(0))));
            assertEquals(40, rig.server(0).running().server().memory().lentBytes() / MIB);
        }
    }

    private static boolean isLent(Connection connection) throws Exception {
        Heard<MemoryOffer, ShareMemoryReply> offered = new Heard<>();
        RpcStream<MemoryMapped> unused = askForMemory(connection, offered);
        BlockDamageTest.awaitTrue(() -> !offered.messages.isEmpty() || offered.end.isDone());
        return !offered.messages.isEmpty();
    }

    private static RpcStream<MemoryMapped> askForMemory(
            Connection connection, Heard<MemoryOffer, ShareMemoryReply> offered) {
        return connection.openStream(
                BlockMethods.SHARE_MEMORY,
                CallOptions.DEFAULT.withTimeoutMillis(0),
                ShareMemoryRequest.newBuilder().setUnits(2).build(),
                offered);
    }

    private BlockRig rig(int sharedMebibytes) throws IOException {
        return new BlockRig(directory, 1, settings(sharedMebibytes, Map.of()));
    }

    private BlockServerSettings settings(int sharedMebibytes, Map<String, String> more) throws TatamiException {
        return BlockServerSettings.from(Settings.of(more)
                .orElse(Settings.of(Map.of(
                        "tatami.block.shared.memory",
                        sharedMebibytes + "m",
                        "tatami.block.shared.directory",
                        shared.toString()))));
    }

    /** By the connection: what is lent here is lent to readers. */
    private void write(BlockRig rig) throws TatamiException {
        try (BlockWriteStream stream = rig.clientWithoutMemory()
                .openWriter(rig.chain(), WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES))) {
            BlockRig.write(stream, bytes);
            stream.finish();
        }
    }

    /** From where the stream is; as long as a block, with zeros behind what was left. */
    private static byte[] readAll(BlockReadStream stream) throws TatamiException {
        ByteBuffer all = ByteBuffer.allocate(BLOCK_BYTES + 1);
        int count = 0;
        while (count >= 0) {
            count = stream.read(all);
        }
        return Arrays.copyOf(all.array(), BLOCK_BYTES);
    }

    private static List<Path> list(Path path) {
        try (Stream<Path> files = Files.list(path)) {
            return files.toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
