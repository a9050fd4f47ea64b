package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.PendingFlush;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.BlockLocation;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block whose chain failed is sealed, and its writer goes on in another one without losing a byte. */
final class SealedBlocksTest {
    private static final int SEED = 41;
    private static final int FIRST = Integer.getInteger("tatami.test.seed", 1);
    private static final int SEEDS = Integer.getInteger("tatami.test.seeds", 12);
    private static final TatamiPath FILE = TatamiPath.ROOT.listedChild("f");
    private static final CreateSpec SPEC = CreateSpec.DEFAULT.withBlockSizeBytes(8 << 20);

    private final MemoryCluster cluster = new MemoryCluster(3);
    private final TatamiClient client = cluster.client();
    private final byte[] bytes = new byte[16 << 20];

    SealedBlocksTest() throws TatamiException {
        new Random(SEED).nextBytes(bytes);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    /** The first server fails at each frame of what is written, of which it keeps nothing, a part, or all. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_536, 100_001, 1 << 20})
    void aFailureAtAnyFrameLosesNoByte(int bytesKept) throws Exception {
        for (int frame = 0; frame < 9; frame++) {
            client.delete(FILE, false);
            cluster.blocks.get(0).failAfterFrames(frame, bytesKept);
            try (FileWriter writer = client.create(FILE, SPEC)) {
                writer.write(bytes, 0, 1_500_000);
                writer.hflush();
                assertBegin(1_500_000);
                writer.write(bytes, 1_500_000, 2_000_000);
                writer.hsync(true);
                assertEquals(3_500_000, client.status(FILE, true).lengthBytes());
                assertBegin(3_500_000);
                writer.write(bytes, 3_500_000, 500_000);
            }
            assertContent(4_000_000);
        }
    }

    @Test
    void aBlockWithAcknowledgedBytesIsSealedAndNotRenewed() throws Exception {
        cluster.blocks.get(0).failAfterFrames(2, 1_000);
        try (FileWriter writer = client.create(FILE, SPEC)) {
            writer.write(bytes, 0, 1 << 20);
            writer.hflush();
            writer.write(bytes, 1 << 20, 1 << 20);
            writer.hflush();
            writer.write(bytes, 2 << 20, 1 << 20);
        }
        assertContent(3 << 20);
        assertEquals(1, cluster.metadata.faults.arrivals(MetaMethods.SEAL_BLOCK).size());
        assertEquals(
                0, cluster.metadata.faults.arrivals(MetaMethods.RENEW_BLOCK).size());
        assertEquals(2, blocks().size());
        assertEquals(0, blocks().get(0).getOffset());
        assertEquals(List.of(1), blocks().get(0).getServerIdList());
        assertEquals(List.of(2), blocks().get(1).getServerIdList());
    }

    @Test
    void theNextBlocksAvoidTheServerThatFailed() throws Exception {
        cluster.blocks.get(0).failAfterFrames(1);
        try (FileWriter writer = client.create(FILE, SPEC)) {
            writer.write(bytes, 0, 1_000);
            writer.hflush();
            writer.write(bytes, 1_000, bytes.length - 1_000);
        }
        assertContent(bytes.length);
        List<Integer> excluded = cluster.metadata.faults.arrivals(MetaMethods.ADD_BLOCKS).stream()
                .map(arrival -> ((AddBlocksRequest) arrival.body()).getExcludedServerIdList())
                .reduce((first, last) -> last)
                .orElseThrow();
        assertEquals(List.of(1), excluded);
    }

    @Test
    void theOnlyServerIsUsedAgainWhereNoOtherHasRoom() throws Exception {
        try (MemoryCluster small = new MemoryCluster(1)) {
            TatamiClient only = small.client();
            small.blocks.get(0).failAfterFrames(1, 10);
            try (FileWriter writer = only.create(FILE, SPEC)) {
                writer.write(bytes, 0, 1_000);
                writer.hflush();
                writer.write(bytes, 1_000, 1_000);
            }
            assertArrayEquals(Arrays.copyOf(bytes, 2_000), readAll(only));
        }
    }

    @Test
    void anAppendWhoseChainCannotBeOpenedBeginsANewBlock() throws Exception {
        try (FileWriter writer = client.create(FILE, SPEC)) {
            writer.write(bytes, 0, 100_000);
        }
        long first = blocks().get(0).getBlockId();
        cluster.blocks.get(0).failAfterFrames(0);
        try (FileWriter writer = client.append(FILE, false)) {
            writer.write(bytes, 100_000, 50_000);
            writer.hflush();
            assertBegin(150_000);
            writer.write(bytes, 150_000, 50_000);
        }
        assertContent(200_000);
        assertEquals(
                List.of(100_000L, 100_000L),
                blocks().stream().map(BlockLocation::getLength).toList());
        assertEquals(first, blocks().get(0).getBlockId());
    }

    @Test
    void aFlushThatWasBegunBeforeTheSealIsDoneInTheNewBlock() throws Exception {
        try (FileWriter writer = client.create(FILE, SPEC)) {
            writer.write(bytes, 0, 1_000);
            writer.hflush();
            writer.write(bytes, 1_000, 1_000);
            cluster.blocks.get(0).failAfterFrames(0);
            PendingFlush begun = writer.beginFlush(false);
            assertFalse(begun.await());
            writer.hflush();
            assertBegin(2_000);
            writer.write(bytes, 2_000, 1_000);
            assertTrue(writer.beginFlush(false).await());
            assertBegin(3_000);
        }
        assertContent(3_000);
    }

    @Test
    void anInterruptDuringTheSealLosesNothing() throws Exception {
        Thread writing = Thread.currentThread();
        FileWriter writer = client.create(FILE, SPEC);
        writer.write(bytes, 0, 1_000_000);
        writer.hflush();
        writer.write(bytes, 1_000_000, 200_000);
        CompletableFuture<Void> interrupted = new CompletableFuture<>();
        cluster.metadata.faults.beforeNext(MetaMethods.SEAL_BLOCK, () -> {
            writing.interrupt();
            interrupted.join();
        });
        // Only now: the write may have sent a frame, and would itself seal the block whose frame failed by then.
        cluster.blocks.get(0).failAfterFrames(0, 5_000);
        assertThrows(InterruptedIOException.class, writer::hflush);
        assertTrue(Thread.interrupted());
        interrupted.complete(null);
        assertEquals(1_200_000, writer.position());
        writer.write(bytes, 1_200_000, 300_000);
        writer.hflush();
        assertBegin(1_500_000);
        writer.close();
        assertContent(1_500_000);
    }

    @Test
    void aWriterWhoseCloseWasInterruptedTakesNoMoreAndIsClosedByAnother() throws Exception {
        FileWriter writer = client.create(FILE, SPEC);
        cluster.blocks.forEach(FakeBlocks::holdAnswers);
        writer.write(bytes, 0, 1_000_000);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, writer::close);
        cluster.blocks.forEach(FakeBlocks::releaseAnswers);
        assertTrue(Thread.interrupted());
        TatamiException refused = assertThrows(TatamiException.class, () -> writer.write(bytes, 0, 10));
        assertTrue(String.valueOf(refused.getMessage()).contains("call close again"), refused.toString());
        assertThrows(TatamiException.class, writer::hflush);
        writer.close();
        assertContent(1_000_000);
    }

    @Test
    void aSealWhoseReplyIsLostIsAskedForAgain() throws Exception {
        cluster.metadata.faults.loseNextReply(MetaMethods.SEAL_BLOCK);
        cluster.blocks.get(0).failAfterFrames(1, 5_000);
        try (FileWriter writer = client.create(FILE, SPEC)) {
            writer.write(bytes, 0, 1_000_000);
            writer.hflush();
            writer.write(bytes, 1_000_000, 200_000);
        }
        assertContent(1_200_000);
        assertTrue(cluster.metadata.faults.arrivals(MetaMethods.SEAL_BLOCK).size() > 1);
    }

    /** The block that was sealed has one copy, and no server of this cluster makes another. */
    @Test
    void aCloseThatWaitsForCopiesInVainMayBeRepeated() throws Exception {
        ManualClock clock = new ManualClock();
        TatamiClient impatient = cluster.client(clock);
        FileWriter writer = impatient.create(FILE, SPEC.withReplication(2).withCopiesMin(2));
        writer.write(bytes, 0, 20_000);
        writer.hflush();
        cluster.blocks.get(0).failAfterFrames(0);
        writer.write(bytes, 20_000, 20_000);
        for (int attempt = 0; attempt < 2; attempt++) {
            cluster.metadata.faults.beforeNext(MetaMethods.COMPLETE, () -> clock.advance(Duration.ofHours(1)));
            TatamiException refused = assertThrows(TatamiException.class, writer::close);
            assertEquals(ErrorCode.BUSY, refused.code());
            assertTrue(refused.toString().contains("1 of the 2 copies"), refused.toString());
            assertFalse(writer.hasEnded());
            assertFalse(client.isClosed(FILE));
        }
        client.setAttributes(
                FILE, AttributeChange.newBuilder().setReplication(1).build());
        writer.close();
        assertTrue(writer.hasEnded());
        assertContent(40_000);
    }

    /** Blocks that are full and not reported come before the one that is sealed. */
    @Test
    void aSealReportsTheFullBlocksBeforeIt() throws Exception {
        try (FileWriter writer = client.create(FILE, SPEC.withBlockSizeBytes(1_000))) {
            writer.write(bytes, 0, 1_000);
            writer.write(bytes, 1_000, 400);
            cluster.blocks.forEach(server -> server.failAfterFrames(1, 100));
            writer.hflush();
            writer.write(bytes, 1_400, 300);
            writer.hflush();
            assertBegin(1_700);
        }
        assertContent(1_700);
    }

    /** One frame is taken and the next one fails, for ever. */
    @Test
    void aLinkThatFailsAgainAndAgainEndsTheWriterAfterFewBlocks() throws Exception {
        try (MemoryCluster small = new MemoryCluster(1)) {
            small.blocks.get(0).failPeriodically(2);
            FileWriter writer = small.client().create(FILE, SPEC);
            IOException failed = assertThrows(IOException.class, () -> {
                for (int at = 0; at < bytes.length; at += 1_000) {
                    writer.write(bytes, at, 1_000);
                    writer.hflush();
                }
            });
            assertEquals(ErrorCode.IO_ERROR, ((TatamiException) failed).code());
            assertEquals(
                    12, small.metadata.faults.arrivals(MetaMethods.SEAL_BLOCK).size());
        }
    }

    @Test
    void failuresAndInterruptsInARandomOrderLoseNoByte() throws Exception {
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try {
                writeAmidFailures(new Random(seed));
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("run it with -Dtatami.test.seed=" + seed + " -Dtatami.test.seeds=1", e);
            }
        }
    }

    private void writeAmidFailures(Random dice) throws Exception {
        int blockBytes = List.of(3_000, 70_000, 1 << 20, 8 << 20).get(dice.nextInt(4));
        int writtenMax = Math.min(bytes.length, 60 * blockBytes);
        cluster.blocks.forEach(server -> server.failSometimes(new Random(dice.nextInt()), 14));
        client.delete(FILE, false);
        cluster.blocks.forEach(FakeBlocks::loseAll);
        FileWriter writer = client.create(FILE, SPEC.withBlockSizeBytes(blockBytes));
        for (int step = 0; step < 30; step++) {
            int at = (int) writer.position();
            int length = Math.min(writtenMax - at, dice.nextInt(2 * Math.min(blockBytes, 1 << 20)));
            FileWriter writing = writer;
            if (!isInterrupted(dice, () -> writing.write(bytes, at, length))) {
                assertEquals(at + length, writer.position());
            }
            switch (dice.nextInt(6)) {
                case 0 -> flush(dice, writer, writer::hflush);
                case 1 -> flush(dice, writer, () -> writing.hsync(dice.nextBoolean()));
                case 2 -> {
                    if (writer.beginFlush(dice.nextBoolean()).await()) {
                        assertBegin((int) writer.position());
                    }
                }
                case 3 -> {
                    close(dice, writer);
                    writer = client.append(FILE, dice.nextBoolean());
                }
                default -> {}
            }
        }
        close(dice, writer);
    }

    private void flush(Random dice, FileWriter writer, Step flush) throws Exception {
        if (!isInterrupted(dice, flush)) {
            assertBegin((int) writer.position());
        }
    }

    private void close(Random dice, FileWriter writer) throws Exception {
        while (isInterrupted(dice, writer::close)) {
            assertFalse(writer.hasEnded());
        }
        assertContent((int) writer.position());
    }

    /** What is interrupted now and then. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private static boolean isInterrupted(Random dice, Step step) throws IOException {
        if (dice.nextInt(4) == 0) {
            Thread.currentThread().interrupt();
        }
        try {
            step.run();
            return false;
        } catch (InterruptedIOException e) {
            return true;
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    /** A new reader sees so many bytes, and maybe more. */
    private void assertBegin(int length) throws Exception {
        byte[] read = readAll(client);
        assertTrue(read.length >= length, () -> read.length + " bytes are seen, " + length + " were flushed");
        assertArrayEquals(Arrays.copyOf(bytes, read.length), read);
    }

    private void assertContent(int length) throws Exception {
        assertArrayEquals(Arrays.copyOf(bytes, length), readAll(client));
        assertEquals(length, client.status(FILE, true).lengthBytes());
        if (client.status(FILE, true).isInline()) {
            return;
        }
        long end = 0;
        for (BlockLocation block : blocks()) {
            assertFalse(block.getOpen());
            assertEquals(end, block.getOffset());
            end += block.getLength();
        }
        assertEquals(length, end);
    }

    private List<BlockLocation> blocks() throws TatamiException {
        return client.open(FILE, ReadPolicy.ADAPTIVE).status().wire().getBlockList();
    }

    private static byte[] readAll(TatamiClient reading) throws IOException {
        try (FileReader reader = reading.open(FILE, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }
}
