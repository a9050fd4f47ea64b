package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ManualClock;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.file.ReadRange;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.BlockLocation;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A copy whose server says nothing is read beside another one, which delivers. The servers are never given up within
 * the time of a test: who waits for them waits for ever.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SilentCopyTest {
    private static final TatamiPath FILE = TatamiPath.ROOT.listedChild("f");
    private static final Map<String, String> PATIENT = Map.of("tatami.client.block.timeout", "1h");
    private static final int FRAME_BYTES = 128 << 10;
    private static final int CLIENTS_MAX = 60;

    private final MemoryCluster cluster;
    private final ManualClock clock = new ManualClock();
    private final TatamiClient client;
    private final byte[] bytes = new byte[900_000];
    private FakeBlocks first;

    SilentCopyTest() throws Exception {
        cluster = new MemoryCluster(3);
        client = cluster.client(clock, PATIENT);
        new Random(3).nextBytes(bytes);
        try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT.withReplication(3))) {
            writer.write(bytes, 0, bytes.length);
        }
        copyToOthers();
        first = readFirst(client);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void readsGoOnAtAnotherCopyAndLaterOnesBeginThere() throws Exception {
        first.setSilent(true);
        int asked = first.readStreams();
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            assertArrayEquals(bytes, readOn(reader, 0));
            assertEquals(1, reader.statistics().hedges());
            assertEquals(1, reader.statistics().hedgeWins());
            assertEquals(1, reader.statistics().openings());
        }
        assertEquals(asked + 1, first.readStreams());
        awaitCancelled(first, 1);

        for (int i = 0; i < 3; i++) {
            try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
                assertArrayEquals(bytes, readOn(reader, 0));
                assertEquals(0, reader.statistics().hedges());
            }
            // What is over is the suspicion; the server does not answer the probe.
            clock.advance(Duration.ofSeconds(90));
        }
        assertEquals(asked + 1, first.readStreams());
    }

    @Test
    void aServerThatAnswersAgainIsReadAgain() throws Exception {
        first.setSilent(true);
        readAll();
        first.setSilent(false);
        int asked = first.readStreams();
        readAll();
        assertEquals(asked, first.readStreams());

        clock.advance(Duration.ofSeconds(1));
        // The first of these readers has the server probed.
        while (first.readStreams() == asked) {
            readAll();
        }
    }

    @Test
    void aStreamThatFallsSilentIsContinuedAtThatVeryByte() throws Exception {
        first.hangReadsAt(2 * FRAME_BYTES);
        List<FakeBlocks> others = others();
        int askedBefore = others.stream().mapToInt(FakeBlocks::readStreams).sum();
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            assertArrayEquals(bytes, readOn(reader, 0));
            assertEquals(1, reader.statistics().hedgeWins());
        }
        List<Long> offsets = others.stream()
                .flatMap(server -> server.readOffsets().stream())
                .skip(askedBefore)
                .toList();
        assertEquals(List.of(2L * FRAME_BYTES), offsets);
    }

    @Test
    void aCopyIsWaitedForWhoseServerTellsThatTheReaderIsQueued() throws Exception {
        TimeoutsClock waits = new TimeoutsClock(1);
        TatamiClient patient = cluster.client(waits, PATIENT);
        FakeBlocks its = readFirst(patient);
        its.hangReadsAt(FRAME_BYTES);
        try (FileReader reader = patient.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer head = ByteBuffer.allocate(FRAME_BYTES);
            while (head.hasRemaining()) {
                assertTrue(reader.read(head) > 0);
            }
            its.tellQueued();
            AtomicInteger timeouts = new AtomicInteger();
            waits.atTimeout = () -> {
                if (timeouts.incrementAndGet() == 2) {
                    its.releaseReads();
                }
            };
            assertArrayEquals(Arrays.copyOfRange(bytes, FRAME_BYTES, bytes.length), readOn(reader, FRAME_BYTES));
            assertEquals(0, reader.statistics().hedges());
            assertEquals(2, timeouts.get());
        }
    }

    @Test
    void aServerThatTellsSoForTenSecondsIsWaitedForNoLonger() throws Exception {
        TimeoutsClock waits = new TimeoutsClock(20);
        TatamiClient patient = cluster.client(waits, PATIENT);
        FakeBlocks its = readFirst(patient);
        its.hangReadsAt(0);
        waits.atTimeout = () -> {
            waits.time.advance(Duration.ofMillis(900));
            its.tellQueued();
        };
        try (FileReader reader = patient.open(FILE, ReadPolicy.ADAPTIVE)) {
            assertArrayEquals(bytes, readOn(reader, 0));
            assertEquals(1, reader.statistics().hedgeWins());
        }
    }

    /** Stands still, tells when a wait of the client has taken all its time, and makes the waits shorter. */
    private static final class TimeoutsClock implements Clock {
        private final ManualClock time = new ManualClock();
        private final long timesShorter;
        private volatile Runnable atTimeout = () -> {};

        TimeoutsClock(long timesShorter) {
            this.timesShorter = timesShorter;
        }

        @Override
        public long wallMillis() {
            return time.wallMillis();
        }

        @Override
        public long monotonicNanos() {
            return time.monotonicNanos();
        }

        @Override
        public long await(ReentrantLock held, Condition changed, BooleanSupplier isOver, long nanos)
                throws InterruptedException {
            long left = Clock.super.await(held, changed, isOver, nanos / timesShorter);
            if (left <= 0) {
                atTimeout.run();
            }
            return left;
        }
    }

    @Test
    void theSilentStreamGoesOnWhereItIsTheFirstToDeliver() throws Exception {
        first.hangReadsAt(FRAME_BYTES);
        List<FakeBlocks> others = others();
        others.forEach(server -> server.setSilent(true));
        others.forEach(server -> server.beforeNextRead(first::releaseReads));
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            assertArrayEquals(bytes, readOn(reader, 0));
            assertTrue(reader.statistics().hedges() > 0);
            assertEquals(0, reader.statistics().hedgeWins());
        }
    }

    @Test
    void aCopyThatFailsInARaceLeavesItToTheNext() throws Exception {
        first.setSilent(true);
        FakeBlocks rotten = others().get(0);
        rotten.lose(onlyBlock().getBlockId());
        for (int i = 0; i < 4; i++) {
            readAll();
        }
    }

    @Test
    void positionalAndVectoredReadsAndSkippedBytesDoNotWait() throws Exception {
        first.setSilent(true);
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer part = ByteBuffer.allocate(300_000);
            assertEquals(part.capacity(), reader.readAt(200_000, part));
            assertArrayEquals(Arrays.copyOfRange(bytes, 200_000, 500_000), part.array());
        }
        first.setSilent(false);

        TatamiClient other = cluster.client(PATIENT);
        FakeBlocks its = readFirst(other);
        its.setSilent(true);
        try (FileReader reader = other.open(FILE, ReadPolicy.ADAPTIVE)) {
            List<ReadRange> ranges = List.of(ReadRange.of(10, 1_000), ReadRange.of(5_000, 300_000));
            reader.readRanges(ranges, ByteBuffer::allocate);
            for (ReadRange range : ranges) {
                byte[] got = range.result().get().array();
                int at = (int) range.offsetBytes();
                assertArrayEquals(Arrays.copyOfRange(bytes, at, at + got.length), got);
            }
        }
        its.setSilent(false);

        TatamiClient third = cluster.client(PATIENT);
        readFirst(third).hangReadsAt(FRAME_BYTES);
        try (FileReader reader = third.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            assertEquals(1, reader.read(one));
            reader.seek(800_000);
            assertArrayEquals(Arrays.copyOfRange(bytes, 800_000, bytes.length), readOn(reader, 800_000));
        }
    }

    @Test
    void aServerThatTakesNoConnectionIsNotWaitedFor() throws Exception {
        cluster.hang(cluster.blocks.indexOf(first));
        long hedges = 0;
        // Each client has an order of its own: the server is the first of every third.
        for (int i = 0; i < CLIENTS_MAX && hedges == 0; i++) {
            TatamiClient fresh = cluster.client(PATIENT);
            try (FileReader reader = fresh.open(FILE, ReadPolicy.ADAPTIVE)) {
                assertArrayEquals(bytes, readOn(reader, 0));
                assertEquals(0, reader.statistics().copyFailures());
                hedges = reader.statistics().hedgeWins();
            }
        }
        assertTrue(hedges > 0);
    }

    /** Which of the three is the first in a client's order is not known; two times out of three it hangs. */
    @Test
    void aHedgingClientReadsOnBesideServersThatHang() throws Exception {
        TatamiClient hedging =
                cluster.client(Map.of("tatami.client.block.timeout", "1h", "tatami.client.read.hedge", "1ms"));
        long wins = 0;
        for (FakeBlocks sound : cluster.blocks) {
            cluster.blocks.stream().filter(server -> server != sound).forEach(server -> server.hangReadsAt(0));
            try (FileReader reader = hedging.open(FILE, ReadPolicy.ADAPTIVE)) {
                assertArrayEquals(bytes, readOn(reader, 0));
                wins += reader.statistics().hedgeWins();
            }
            cluster.blocks.forEach(FakeBlocks::releaseReads);
        }
        assertTrue(wins > 0);
    }

    @Test
    void theVisibleLengthIsThatOfTheFirstServerThatAnswers() throws Exception {
        TatamiPath open = TatamiPath.ROOT.listedChild("open");
        try (FileWriter writer = client.create(open, CreateSpec.DEFAULT.withReplication(3))) {
            writer.write(bytes, 0, 70_000);
            writer.hflush();
            long block = onlyBlock(open).getBlockId();
            List<FakeBlocks> holders = holders(open);
            holders.stream().skip(1).forEach(server -> server.copyFrom(holders.get(0), block));
            writer.write(bytes, 70_000, 10_000);
            writer.hflush();

            // The second one lacks the last bytes, as a server does that was left out, and is asked before the third.
            holders.get(1).setGeneration(block, 0);
            holders.get(2).copyFrom(holders.get(0), block);
            holders.get(0).setSilent(true);
            for (int i = 0; i < 30; i++) {
                assertEquals(80_000, length(open), "whoever answers first");
            }
            holders.get(0).setSilent(false);

            holders.stream().skip(1).forEach(server -> server.copyFrom(holders.get(0), block));
            for (FakeBlocks silent : holders) {
                silent.setSilent(true);
                assertEquals(80_000, length(open));
                silent.setSilent(false);
            }
        }
    }

    private long length(TatamiPath path) throws Exception {
        try (FileReader reader = client.open(path, ReadPolicy.ADAPTIVE)) {
            return reader.lengthBytes();
        }
    }

    /** The server that a client reads first. */
    private FakeBlocks readFirst(TatamiClient reading) throws Exception {
        List<Integer> before =
                cluster.blocks.stream().map(FakeBlocks::readStreams).toList();
        try (FileReader reader = reading.open(FILE, ReadPolicy.ADAPTIVE)) {
            reader.readAt(0, ByteBuffer.allocate(1));
        }
        for (int i = 0; i < before.size(); i++) {
            if (cluster.blocks.get(i).readStreams() > before.get(i)) {
                return cluster.blocks.get(i);
            }
        }
        throw new AssertionError("no server was read");
    }

    private List<FakeBlocks> others() {
        return cluster.blocks.stream().filter(server -> server != first).toList();
    }

    private void copyToOthers() throws Exception {
        List<FakeBlocks> holders = holders(FILE);
        assertEquals(3, holders.size());
        holders.stream().skip(1).forEach(server -> {
            try {
                server.copyFrom(holders.get(0), onlyBlock().getBlockId());
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    /** In the order of the chain: the client writes to the first. */
    private List<FakeBlocks> holders(TatamiPath path) throws Exception {
        return onlyBlock(path).getServerIdList().stream()
                .map(id -> cluster.blocks.get(id - 1))
                .toList();
    }

    private BlockLocation onlyBlock() throws Exception {
        return onlyBlock(FILE);
    }

    private BlockLocation onlyBlock(TatamiPath path) throws Exception {
        try (FileReader reader = client.open(path, ReadPolicy.ADAPTIVE)) {
            List<BlockLocation> blocks = reader.status().wire().getBlockList();
            assertEquals(1, blocks.size());
            return blocks.get(0);
        }
    }

    private void readAll() throws Exception {
        try (FileReader reader = client.open(FILE, ReadPolicy.ADAPTIVE)) {
            assertArrayEquals(bytes, readOn(reader, 0));
        }
    }

    private byte[] readOn(FileReader reader, int start) throws Exception {
        ByteBuffer rest = ByteBuffer.allocate(bytes.length - start);
        while (rest.hasRemaining()) {
            assertTrue(reader.read(rest) > 0);
        }
        return rest.array();
    }

    private static void awaitCancelled(FakeBlocks server, int reads) throws InterruptedException {
        while (server.cancelledReads() < reads) {
            Thread.sleep(5);
        }
    }
}
