package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.RefusalSubject;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a write stream sends, keeps and gives back, against a server that does as the test says. */
final class BlockWriteStreamTest {
    private static final int MIB = 1 << 20;
    private static final BlockClientSettings SETTINGS =
            BlockClientSettings.DEFAULT.withWindowBytes(3 * MIB).withTimeoutMillis(50);
    private static final WriteSpec SPEC = WriteSpec.create(BlockId.of(1, 0, 1), Generation.FIRST, 16 * MIB);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final byte[] bytes = new byte[4 * MIB];

    BlockWriteStreamTest() {
        new SplittableRandom(1).nextBytes(bytes);
    }

    @AfterEach
    void everyBufferWasGivenBack() {
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    @Test
    void framesEndAtWholeMebibytesAndCarryTheChecksumOfEachPiece() throws Exception {
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.write(bytes, 0, 100);
            server.acknowledge(0, 0);
            assertThrows(TatamiException.class, stream::hflush);
        }
        ScriptedServer other = new ScriptedServer();
        try (BlockWriteStream stream = open(other, SPEC.continuedAt(Generation.of(2), 100))) {
            stream.write(bytes, 100, 2 * MIB);
            assertEquals(2, other.frames().size());
            assertEquals(MIB, other.frames().get(1).getOffset());
            for (ScriptedServer.Received received : other.received) {
                WriteFrame frame = (WriteFrame) received.message();
                int[] expected = ChunkChecksum.ofPieces(frame.getOffset(), ByteBuffer.wrap(received.payload()));
                assertArrayEquals(
                        expected,
                        frame.getChecksumList().stream().mapToInt(one -> one).toArray());
            }
        }
    }

    @Test
    void aFullWindowHoldsTheWriterUntilBytesAreAcknowledged() throws Exception {
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.write(bytes, 0, 3 * MIB);
            server.acknowledge(MIB, 0);
            stream.write(bytes, 3 * MIB, MIB);
            assertEquals(4, server.frames().size());
            TatamiException late = assertThrows(TatamiException.class, () -> stream.write(bytes, 0, 1));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
            assertEquals(4 * MIB, stream.position());
        }
        assertTrue(server.cancelled);
    }

    @Test
    void aStreamThatRestsSendsEmptyFramesAndFailsWhereTheyAreNotAnswered() throws Exception {
        ManualClock clock = new ManualClock();
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC, clock)) {
            rest(stream, clock);
            assertEquals(List.of(), server.frames(), "no server knows of the stream");
            stream.write(bytes, 0, MIB + 5);
            rest(stream, clock);
            assertEquals(2, server.frames().size());
            WriteFrame empty = server.frames().get(1);
            assertEquals(MIB, empty.getOffset(), "five bytes are gathered, and not sent");
            assertFalse(empty.getSync() || empty.getLast());
            assertEquals(0, server.received.get(1).payload().length);
            server.acknowledge(MIB, 0);
            rest(stream, clock);
            assertEquals(3, server.frames().size());
            server.acknowledge(MIB, 0);
            stream.keepAlive();
            stream.write(bytes, MIB + 5, MIB);
            clock.advance(Duration.ofSeconds(5));
            stream.keepAlive();
            clock.advance(Duration.ofSeconds(5));
            stream.keepAlive();
            assertEquals(4, server.frames().size(), "a stream that sends bytes does not rest");
            assertEquals(4, server.frames().get(3).getSequence());
            clock.advance(Duration.ofSeconds(5));
            stream.keepAlive();
            assertEquals(5, server.frames().size());
            assertNull(stream.failure());
            rest(stream, clock);
            TatamiException silence = assertThrows(TatamiException.class, stream::hflush);
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, silence.code());
            assertEquals(5, server.frames().size());
            assertTrue(server.cancelled);
        }
    }

    private static void rest(BlockWriteStream stream, ManualClock clock) {
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofSeconds(5));
            stream.keepAlive();
        }
    }

    @Test
    void noEmptyFrameFollowsTheLast() throws Exception {
        ManualClock clock = new ManualClock();
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC, clock)) {
            stream.write(bytes, 0, 10);
            Thread.currentThread().interrupt();
            assertThrows(TatamiException.class, stream::finish);
            assertTrue(Thread.interrupted());
            rest(stream, clock);
            rest(stream, clock);
            assertEquals(1, server.frames().size());
            assertTrue(server.frames().get(0).getLast());
        }
    }

    @Test
    void noMoreIsSentThanTheServerTakesNow() throws Exception {
        ScriptedServer server = new ScriptedServer();
        server.openingLimit = MIB;
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.write(bytes, 0, MIB);
            assertThrows(TatamiException.class, () -> stream.write(bytes, MIB, 1));
            assertEquals(1, server.frames().size());
        }
        ScriptedServer other = new ScriptedServer();
        other.openingLimit = MIB;
        try (BlockWriteStream stream = open(other, SPEC)) {
            limit(other, 0, MIB);
            stream.awaitReady();
            stream.write(bytes, 0, MIB);
            limit(other, MIB, MIB + 128 * 1024);
            stream.write(bytes, MIB, 128 * 1024);
            limit(other, MIB + 128 * 1024, 3 * MIB);
            stream.write(bytes, MIB + 128 * 1024, MIB);
            assertEquals(
                    List.of(MIB, 128 * 1024, MIB - 128 * 1024),
                    other.received.stream().map(one -> one.payload().length).toList());
        }
    }

    @Test
    void resentFramesAreSplitAsTheServerTakesThem() throws Exception {
        List<PendingFrame> frames = failedWith(2 * MIB + 10);
        ScriptedServer server = new ScriptedServer();
        server.openingLimit = 700_000;
        try (BlockWriteStream stream = open(server, SPEC)) {
            assertThrows(TatamiException.class, () -> stream.resend(frames));
            assertEquals(1, server.received.size());
            assertEquals(700_000, server.received.get(0).payload().length);
            WriteFrame part = server.frames().get(0);
            assertArrayEquals(
                    ChunkChecksum.ofPieces(
                            0, ByteBuffer.wrap(server.received.get(0).payload())),
                    part.getChecksumList().stream().mapToInt(one -> one).toArray());
            ByteArrayOutputStream kept = new ByteArrayOutputStream();
            int end = 0;
            for (PendingFrame frame : stream.takeUnacknowledged()) {
                byte[] payload = ByteBufUtil.getBytes(frame.payload());
                int known = (int) (end - frame.offset());
                kept.write(payload, known, payload.length - known);
                end = (int) frame.endOffset();
                frame.release();
            }
            assertArrayEquals(Arrays.copyOf(bytes, 2 * MIB + 10), kept.toByteArray());
        }
    }

    private static void limit(ScriptedServer server, long visible, long limit) {
        server.say(WriteAck.newBuilder()
                .setVisibleLength(visible)
                .setSendLimit(limit)
                .build());
    }

    @Test
    void aFailureNamesTheServerAndGivesBackExactlyWhatWasNotAcknowledged() throws Exception {
        ScriptedServer server = new ScriptedServer();
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.write(bytes, 0, 2 * MIB + 10);
            server.acknowledge(MIB, 0);
            server.fail(ErrorCode.IO_ERROR, new RefusalSubject.ServerSubject(new ServerId(8)));
            assertThrows(TatamiException.class, stream::hsync);
            assertEquals(new ServerId(8), stream.failedServer());
            assertEquals(MIB, stream.visibleLength());
            for (PendingFrame frame : stream.takeUnacknowledged()) {
                kept.writeBytes(ByteBufUtil.getBytes(frame.payload()));
                frame.release();
            }
        }
        assertArrayEquals(Arrays.copyOfRange(bytes, MIB, 2 * MIB + 10), kept.toByteArray());
    }

    @Test
    void resentFramesAreDroppedCutAndSentAsTheNewStartAsks() throws Exception {
        List<PendingFrame> frames = failedWith(2 * MIB + 10);
        ScriptedServer server = new ScriptedServer();
        int start = MIB + 100_000;
        try (BlockWriteStream stream = open(server, SPEC.continuedAt(Generation.of(2), start))) {
            stream.resend(frames);
            assertEquals(2 * MIB + 10, stream.position());
        }
        assertEquals(2, server.received.size());
        assertEquals(start, server.frames().get(0).getOffset());
        assertArrayEquals(
                Arrays.copyOfRange(bytes, start, 2 * MIB),
                server.received.get(0).payload());
        WriteFrame cut = server.frames().get(0);
        assertEquals(
                BlockPayload.NONE,
                BlockPayload.firstBadPiece(
                        Unpooled.wrappedBuffer(server.received.get(0).payload()), start, cut::getChecksum));
    }

    @Test
    void bytesThatChangedInMemoryAreNotResent() throws Exception {
        List<PendingFrame> frames = failedWith(MIB + 1);
        frames.get(0).payload().setByte(5, frames.get(0).payload().getByte(5) + 1);
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC.continuedAt(Generation.of(2), 10))) {
            TatamiException corrupt = assertThrows(TatamiException.class, () -> stream.resend(frames));
            assertEquals(ErrorCode.CORRUPT, corrupt.code());
        }
        assertTrue(server.received.isEmpty());
    }

    @Test
    void aBlockEndsWhereTheServersHaveNoMoreRoom() throws Exception {
        ScriptedServer server = new ScriptedServer();
        WriteSpec needsOne =
                new WriteSpec(BlockId.of(1, 0, 1), Generation.FIRST, 16 * MIB, MIB, false, 0, Generation.NONE, 0);
        try (BlockWriteStream stream = open(server, needsOne)) {
            assertEquals(MIB, stream.awaitRoomBytes(), "what is needed is sure before any word of the server's");
            stream.write(bytes, 0, MIB);
            server.say(WriteAck.newBuilder().setRoomBytes(MIB + 10).build());
            assertEquals(10, stream.awaitRoomBytes());
            stream.write(bytes, MIB, 10);
            assertEquals(0, stream.awaitRoomBytes());
        }
        ScriptedServer old = new ScriptedServer();
        try (BlockWriteStream stream = open(old, needsOne)) {
            old.acknowledge(0, 0);
            stream.awaitReady();
            assertEquals(16 * MIB, stream.awaitRoomBytes(), "a server that does not tell has what was to be reserved");
        }
        ScriptedServer silent = new ScriptedServer();
        try (BlockWriteStream stream = open(silent, needsOne)) {
            stream.write(bytes, 0, MIB);
            assertThrows(TatamiException.class, stream::awaitRoomBytes);
        }
    }

    @Test
    void whatWasTakenIsNeededWhenABlockIsContinuedElsewhere() {
        WriteSpec moved = SPEC.continuedAt(Generation.of(3), Generation.FIRST, 0, 9 * MIB);

        assertEquals(4 * MIB, SPEC.neededBytes());
        assertEquals(9 * MIB, moved.neededBytes());
        assertEquals(9 * MIB, moved.continuedAt(Generation.of(4), 5 * MIB).neededBytes());
    }

    @Test
    void aBlockOfOneFrameIsPackedWhereItIsAllOfItsFile() throws Exception {
        for (boolean isWhole : new boolean[] {true, false}) {
            ScriptedServer server = new ScriptedServer();
            server.finishNext(WriteBlockReply.newBuilder().setLength(MIB).build());
            try (BlockWriteStream stream = open(server, SPEC)) {
                stream.write(bytes, 0, 100);
                stream.write(bytes, 100, MIB - 100);
                assertTrue(server.requests.isEmpty(), "more may follow");
                assertEquals(MIB, stream.finish(isWhole));
            }
            WriteBlockRequest request = (WriteBlockRequest) server.requests.get(0);
            assertEquals(isWhole, request.getPacked());
            assertEquals(isWhole ? MIB : 16 * MIB, request.getReserveBytes());
            WriteFrame only = server.frames().get(0);
            assertTrue(only.getLast() && only.getSync());
            assertEquals(1, server.frames().size());
        }
    }

    @Test
    void aBlockOfWhichServersKnowIsNotPacked() throws Exception {
        ScriptedServer server = new ScriptedServer();
        server.finishNext(WriteBlockReply.newBuilder().setLength(MIB + 1).build());
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.write(bytes, 0, MIB + 1);
            assertEquals(1, server.frames().size());
            assertEquals(MIB + 1, stream.finish(true));
        }
        assertFalse(((WriteBlockRequest) server.requests.get(0)).getPacked());
    }

    @Test
    void aBlockThatIsFullEndsWithItsLastBytes() throws Exception {
        ScriptedServer server = new ScriptedServer();
        server.finishNext(WriteBlockReply.newBuilder().setLength(2 * MIB).build());
        try (BlockWriteStream stream = open(server, WriteSpec.create(BlockId.of(1, 0, 1), Generation.FIRST, 2 * MIB))) {
            stream.write(bytes, 0, 2 * MIB);
            assertEquals(0, stream.roomBytes());
            assertEquals(2 * MIB, stream.finish());
        }
        assertEquals(2, server.frames().size());
        assertTrue(server.frames().get(1).getLast());
    }

    @Test
    void aSyncWithNothingNewSendsNothing() throws Exception {
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.hsync();
            assertTrue(server.received.isEmpty());
            stream.write(bytes, 0, 10);
            server.acknowledge(10, 10);
            stream.hsync();
            assertTrue(server.frames().get(0).getSync());
            stream.hsync();
            assertEquals(1, server.received.size());
            assertFalse(server.cancelled);
        }
    }

    /** What is kept of a stream that wrote {@code length} bytes and failed before any was acknowledged. */
    private List<PendingFrame> failedWith(int length) throws TatamiException {
        ScriptedServer server = new ScriptedServer();
        try (BlockWriteStream stream = open(server, SPEC)) {
            stream.write(bytes, 0, length);
            server.fail(ErrorCode.UNAVAILABLE, RefusalSubject.NONE);
            return stream.takeUnacknowledged();
        }
    }

    private BlockWriteStream open(ScriptedServer server, WriteSpec spec) throws TatamiException {
        return open(server, spec, Clock.SYSTEM);
    }

    private BlockWriteStream open(ScriptedServer server, WriteSpec spec, Clock clock) throws TatamiException {
        List<BlockTarget> chain =
                List.of(new BlockTarget(new ServerId(7), "a", 1), new BlockTarget(new ServerId(8), "b", 1));
        return BlockWriteStream.open(
                server, spec, chain, (isShort, bytes) -> RegionLease.NONE, SETTINGS, allocator, clock);
    }
}
