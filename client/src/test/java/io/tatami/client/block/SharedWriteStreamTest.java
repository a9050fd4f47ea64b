package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.PendingFlush;
import io.tatami.base.RefusalSubject;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteFrame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a write stream puts its bytes that shares a unit of memory with a server that does as the test says. */
final class SharedWriteStreamTest {
    private static final int MIB = 1 << 20;
    private static final WriteSpec SPEC = WriteSpec.create(BlockId.of(1, 0, 1), Generation.FIRST, 16 * MIB);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final byte[] bytes = new byte[6 * MIB];
    private final ScriptedServer server = new ScriptedServer();
    private final SharedFile file;
    private final SharedRegion region;
    private final SharedRegions regions = new SharedRegions(1, true, Clock.SYSTEM);

    SharedWriteStreamTest(@TempDir Path directory) throws TatamiException {
        new SplittableRandom(1).nextBytes(bytes);
        file = SharedFile.create(directory.resolve("memory"), 1);
        server.lend(file.path());
        region = SharedRegion.open(server, 1, true, 1);
    }

    @AfterEach
    void everyBufferWasGivenBack() throws TatamiException {
        file.close();
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    @Test
    void framesSayWhereTheirBytesLieAndMemoryIsUsedAgainOnceTheyAreAcknowledged() throws Exception {
        try (BlockWriteStream stream = open(4)) {
            stream.write(bytes, 0, 4 * MIB);
            assertLies(bytes, 0, 0, server.frames().get(0));
            assertLies(bytes, 3 * MIB, 3 * MIB, server.frames().get(3));
            server.acknowledge(2 * MIB, 0);
            stream.write(bytes, 4 * MIB, MIB);
            assertLies(bytes, 4 * MIB, 0, server.frames().get(4));
            assertEquals(5 * MIB, stream.sharedBytes());
            assertEquals(0, allocator.metric().usedDirectMemory());
        }
    }

    @Test
    void whatFindsNoFreeMemoryIsSent() throws Exception {
        try (BlockWriteStream stream = open(6)) {
            stream.write(bytes, 0, 5 * MIB);
            assertSent(4, 4 * MIB);
            assertEquals(4 * MIB, stream.sharedBytes());
        }
    }

    @Test
    void aBlockOfOneFrameLiesInTheMemoryForShortOnes() throws Exception {
        server.finishNext(WriteBlockReply.newBuilder().setLength(100).build());
        try (BlockWriteStream stream = open(4, true, Clock.SYSTEM)) {
            stream.write(bytes, 0, 100);
            assertEquals(100, stream.finish(true));
            assertLies(bytes, 0, 0, server.frames().get(0));
            assertEquals(100, stream.sharedBytes());
        }
        assertFalse(server.cancelled, "the memory can be used again");
    }

    @Test
    void theFirstOfManyFramesLeavesTheMemoryForShortBlocks() throws Exception {
        try (BlockWriteStream stream = open(4, true, Clock.SYSTEM)) {
            stream.write(bytes, 0, MIB);
            stream.write(bytes, MIB, 10);
            assertSent(0, 0);
            assertEquals(0, stream.sharedBytes());
        }
    }

    @Test
    void whatWasNotAcknowledgedIsKeptWhenTheMemoryGoesWithItsStream() throws Exception {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        List<PendingFrame> frames;
        try (BlockWriteStream stream = open(4)) {
            stream.write(bytes, 0, 3 * MIB + 10);
            server.acknowledge(MIB, 0);
            server.fail(ErrorCode.IO_ERROR, RefusalSubject.NONE);
            assertThrows(TatamiException.class, stream::hsync);
            frames = stream.takeUnacknowledged();
        }
        assertTrue(server.cancelled, "the server may still read there for this stream");
        for (PendingFrame frame : frames) {
            kept.writeBytes(ByteBufUtil.getBytes(frame.payload()));
            frame.release();
        }
        assertArrayEquals(Arrays.copyOfRange(bytes, MIB, 3 * MIB + 10), kept.toByteArray());
    }

    @Test
    void aStreamThatRestsGivesItsMemoryBackOnceTheServerHasReadIt() throws Exception {
        ManualClock clock = new ManualClock();
        try (BlockWriteStream stream = open(4, false, clock)) {
            stream.write(bytes, 0, MIB);
            PendingFlush flush = stream.beginFlush(false);
            look(stream, clock);
            look(stream, clock);
            assertEquals(1, server.frames().size(), "the server may still read there");
            server.acknowledge(MIB, MIB);
            assertTrue(flush.await());
            look(stream, clock);
            assertEquals(2, server.frames().size());
            WriteFrame returned = server.frames().get(1);
            assertTrue(returned.getMemoryReturned());
            assertEquals(MIB, returned.getOffset());
            assertSame(region, regions.lease(server, MIB).region(), "another stream may use it");

            server.acknowledge(MIB, 0);
            stream.write(bytes, MIB, MIB);
            stream.write(bytes, 2 * MIB, 1);
            assertTrue(server.frames().get(2).getMemoryReturned());
            assertSent(2, MIB);
            look(stream, clock);
            look(stream, clock);
            assertEquals(3, server.frames().size(), "there is nothing more to be given back");
        }
    }

    @Test
    void bytesThatAreGatheredKeepTheMemoryTheyLieIn() throws Exception {
        ManualClock clock = new ManualClock();
        try (BlockWriteStream stream = open(4, false, clock)) {
            stream.write(bytes, 0, MIB + 5);
            server.acknowledge(MIB, 0);
            look(stream, clock);
            look(stream, clock);
            assertEquals(1, server.frames().size());
            stream.write(bytes, MIB + 5, MIB);
            assertLies(bytes, MIB, MIB, server.frames().get(1));
        }
    }

    private static void look(BlockWriteStream stream, ManualClock clock) {
        clock.advance(Duration.ofSeconds(5));
        stream.keepAlive();
    }

    /** The frame's bytes are those from {@code from} on, and lie at {@code start} of the only unit. */
    private void assertLies(byte[] expected, int from, int start, WriteFrame frame) throws TatamiException {
        assertEquals(0, frame.getSharedUnit());
        assertEquals(start, frame.getStart());
        ByteBuffer read = ByteBuffer.allocate(frame.getLength());
        file.readFully(start, read);
        assertArrayEquals(Arrays.copyOfRange(expected, from, from + frame.getLength()), read.array());
    }

    /** The frame was sent with its bytes, which are those from {@code from} on. */
    private void assertSent(int frame, int from) {
        assertFalse(server.frames().get(frame).hasSharedUnit());
        List<byte[]> payloads = server.received.stream()
                .filter(received -> received.message() instanceof WriteFrame)
                .map(ScriptedServer.Received::payload)
                .toList();
        assertArrayEquals(Arrays.copyOfRange(bytes, from, from + MIB), payloads.get(frame));
    }

    private BlockWriteStream open(int windowMebibytes) throws TatamiException {
        return open(windowMebibytes, false, Clock.SYSTEM);
    }

    /** @param isShort whether the memory is for short blocks and there is no other, or the other way round */
    private BlockWriteStream open(int windowMebibytes, boolean isShort, Clock clock) throws TatamiException {
        List<BlockTarget> chain = List.of(new BlockTarget(new ServerId(7), "a", 1));
        RegionLease lease = RegionLease.of(region, regions);
        BlockClientSettings settings = BlockClientSettings.DEFAULT.withWindowBytes(windowMebibytes * MIB);
        return BlockWriteStream.open(
                server,
                SPEC,
                chain,
                (first, bytes) -> first == isShort ? lease : RegionLease.NONE,
                settings,
                allocator,
                clock);
    }
}
