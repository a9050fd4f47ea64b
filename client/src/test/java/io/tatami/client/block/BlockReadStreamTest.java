package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.MemoryBudget;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.protocol.wire.ReportDamageRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a read stream gives out, against a server that sends what the test says. */
final class BlockReadStreamTest {
    private static final int MIB = 1 << 20;
    private static final BlockClientSettings SETTINGS =
            BlockClientSettings.DEFAULT.withReadAheadBytes(4 * MIB).withTimeoutMillis(50);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final ScriptedServer server = new ScriptedServer();
    private final MemoryBudget budget = new MemoryBudget(5 * MIB);
    private final byte[] bytes = new byte[3 * MIB];

    BlockReadStreamTest() {
        new SplittableRandom(1).nextBytes(bytes);
    }

    @AfterEach
    void everyBufferWasGivenBack() {
        assertEquals(0, budget.taken());
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    @Test
    void whereManyAreOpenEachHoldsAChunkAndGetsMoreWhenOthersHaveGone() throws Exception {
        BlockReadStream first = open();
        try (BlockReadStream second = open()) {
            assertEquals(List.of(3L * MIB, 2L * MIB + 2 * ChunkChecksum.CHUNK_BYTES), windows());
            for (int i = 0; i < 100; i++) {
                open().close();
                assertEquals(ChunkChecksum.CHUNK_BYTES, windows().get(2 + i));
            }
            BlockReadStream late = open();
            first.close();
            send(0, ChunkChecksum.CHUNK_BYTES, -1);
            assertEquals(ChunkChecksum.CHUNK_BYTES, late.read(ByteBuffer.allocate(MIB)));
            ReadWindowUpdate more = (ReadWindowUpdate) server.received.get(0).message();
            assertEquals(3L * MIB, more.getBytes());
            late.close();
            assertEquals(0, second.position());
        }
    }

    private List<Long> windows() {
        return server.requests.stream()
                .map(ReadBlockRequest.class::cast)
                .map(ReadBlockRequest::getWindowBytes)
                .toList();
    }

    @Test
    void noByteOfABadChunkIsGivenOutAndThoseBeforeItAre() throws Exception {
        int bad = 2 * ChunkChecksum.CHUNK_BYTES;
        try (BlockReadStream stream = open()) {
            send(0, MIB, bad + 77);
            byte[] read = new byte[MIB];
            int total = 0;
            while (total < bad) {
                total += stream.read(read, total, Math.min(50_000, bad - total));
            }
            TatamiException corrupt = assertThrows(TatamiException.class, () -> stream.read(new byte[1], 0, 1));
            assertEquals(ErrorCode.CORRUPT, corrupt.code());
            assertEquals(bad, stream.position());
            assertArrayEquals(Arrays.copyOf(bytes, bad), Arrays.copyOf(read, total));
        }
        assertTrue(server.cancelled);
    }

    @Test
    void aReaderThatIsToldThatItIsQueuedWaitsForMoreThanOneTimeout() throws Exception {
        TimeoutClock clock = new TimeoutClock();
        try (BlockReadStream stream = open(clock)) {
            clock.atTimeout = () -> {
                clock.atTimeout = () -> send(0, ChunkChecksum.CHUNK_BYTES, -1);
                tellQueued();
                assertTrue(stream.isQueued());
            };
            assertEquals(ChunkChecksum.CHUNK_BYTES, stream.read(ByteBuffer.allocate(MIB)));
            assertFalse(stream.isQueued());
            assertEquals(2, clock.timeouts);
        }
    }

    @Test
    void aReaderThatIsToldSoAgainAndAgainGivesUpAfterSomeTimeouts() throws Exception {
        TimeoutClock clock = new TimeoutClock();
        try (BlockReadStream stream = open(clock)) {
            clock.atTimeout = this::tellQueued;
            TatamiException late = assertThrows(TatamiException.class, () -> stream.read(ByteBuffer.allocate(1)));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
            assertEquals(BlockReadStream.TIMEOUTS_MAX, clock.timeouts);
        }
    }

    @Test
    void whatTheServerToldLongAgoDoesNotCount() throws Exception {
        TimeoutClock clock = new TimeoutClock();
        try (BlockReadStream stream = open(clock)) {
            tellQueued();
            assertTrue(stream.isQueued());
            clock.nanos += ReadQueue.QUEUED_NANOS;
            assertFalse(stream.isQueued());
            assertThrows(TatamiException.class, () -> stream.read(ByteBuffer.allocate(1)));
            assertEquals(1, clock.timeouts);
        }
    }

    private void tellQueued() {
        server.say(ReadFrame.newBuilder().setQueued(true).build());
    }

    /** Waits take no time but that of the clock: all of it passes, and then something happens. */
    private static final class TimeoutClock implements Clock {
        private long nanos;
        private int timeouts;
        private Runnable atTimeout = () -> {};

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public long await(ReentrantLock held, Condition changed, BooleanSupplier isOver, long waitNanos) {
            nanos += waitNanos;
            timeouts++;
            atTimeout.run();
            return 0;
        }
    }

    @Test
    void aBadChunkIsReportedAndTheReaderHearsNothingOfWhatComesOfThat() throws Exception {
        int bad = 2 * ChunkChecksum.CHUNK_BYTES;
        try (BlockReadStream stream = open()) {
            send(0, MIB, bad + 77);
            assertEquals(bad, stream.read(ByteBuffer.allocate(MIB)));

            assertEquals(
                    List.of(ReportDamageRequest.newBuilder()
                            .setBlockId(BlockId.of(1, 0, 1).value())
                            .setOffset(bad)
                            .build()),
                    server.calls);
            TatamiException corrupt = assertThrows(TatamiException.class, () -> stream.read(ByteBuffer.allocate(MIB)));
            assertEquals(ErrorCode.CORRUPT, corrupt.code());
            assertTrue(stream.hasFailedChecksum());
        }
    }

    @Test
    void theReadThatMeetsABadChunkEndsBeforeIt() throws Exception {
        int bad = MIB + 2 * ChunkChecksum.CHUNK_BYTES;
        try (BlockReadStream stream = open()) {
            send(0, MIB, -1);
            send(MIB, 2 * MIB, bad + 77);
            ByteBuffer read = ByteBuffer.allocate(2 * MIB);
            assertEquals(bad, stream.read(read));
            for (int again = 0; again < 2; again++) {
                TatamiException corrupt = assertThrows(TatamiException.class, () -> stream.read(read));
                assertEquals(ErrorCode.CORRUPT, corrupt.code());
                assertEquals(bad, read.position());
            }
        }
    }

    @Test
    void aFrameAtTheWrongOffsetEndsTheStream() throws Exception {
        try (BlockReadStream stream = open()) {
            send(0, 100, -1);
            send(200, 300, -1);
            assertEquals(100, stream.read(new byte[1000], 0, 1000));
            TatamiException gap = assertThrows(TatamiException.class, () -> stream.read(new byte[1], 0, 1));
            assertEquals(ErrorCode.MALFORMED, gap.code());
        }
    }

    @Test
    void windowMovesOnByWhatWasReadAndTheRestIsReleasedAtTheEnd() throws Exception {
        try (BlockReadStream stream = open()) {
            send(0, MIB, -1);
            send(MIB, 2 * MIB, -1);
            send(2 * MIB, 3 * MIB, -1);
            byte[] read = new byte[MIB];
            assertEquals(MIB, stream.read(read, 0, MIB));
            assertEquals(
                    ReadWindowUpdate.newBuilder().setBytes(MIB).build(),
                    server.received.get(0).message());
            assertEquals(MIB / 2, stream.skip(MIB / 2));
            assertEquals(10, stream.read(read, 0, 10));
            assertArrayEquals(Arrays.copyOfRange(bytes, MIB + MIB / 2, MIB + MIB / 2 + 10), Arrays.copyOf(read, 10));
            assertEquals(1, server.received.size());
        }
    }

    @Test
    void aServerThatSaysNothingIsNotWaitedForWithoutEnd() throws Exception {
        try (BlockReadStream stream = open()) {
            TatamiException late = assertThrows(TatamiException.class, () -> stream.read(new byte[1], 0, 1));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
        }
    }

    /** Sends a frame; the byte at {@code flipped} of the block, if it is in it, is not what its checksum says. */
    private void send(int from, int to, int flipped) {
        ByteBuf payload = allocator.directBuffer(to - from).writeBytes(bytes, from, to - from);
        if (flipped >= from) {
            payload.setByte(flipped - from, ~bytes[flipped]);
        }
        ReadFrame.Builder frame = ReadFrame.newBuilder().setOffset(from);
        for (int checksum : ChunkChecksum.ofPieces(from, ByteBuffer.wrap(bytes, from, to - from))) {
            frame.addChecksum(checksum);
        }
        server.say(frame.build(), payload);
    }

    private BlockReadStream open() {
        return open(Clock.SYSTEM);
    }

    private BlockReadStream open(Clock clock) {
        BlockId block = BlockId.of(1, 0, 1);
        ReadBlockRequest request = ReadBlockRequest.newBuilder()
                .setBlockId(block.value())
                .setLength(bytes.length)
                .build();
        return BlockReadStream.open(
                server,
                new BlockReadStream.Range(new BlockTarget(new ServerId(1), "a", 1), request, ByteString.EMPTY),
                RegionLease.NONE,
                budget,
                new DamageReporter(Clock.SYSTEM),
                SETTINGS,
                clock);
    }
}
