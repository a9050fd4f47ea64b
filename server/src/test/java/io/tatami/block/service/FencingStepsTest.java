package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.rpc.Connection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A recovery, a deletion or another writer at each step of a writer. */
class FencingStepsTest {
    private static final int MIB = 1 << 20;
    private static final BlockId BLOCK = BlockRig.block(1);

    @TempDir
    Path directory;

    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        CrashPoint.listen(null);
        others.shutdownNow();
    }

    /** Has another thread act, once, while the server stands at the step. */
    private void at(String step, Runnable action) {
        atTime(step, 0, action);
    }

    /** As {@link #at}, once the step has come {@code before} times. */
    private void atTime(String step, int before, Runnable action) {
        AtomicInteger times = new AtomicInteger();
        CrashPoint.listen(name -> {
            if (name.equals(step) && times.getAndIncrement() == before) {
                action.run();
            }
        });
    }

    /**
     * At a step of any of some servers behind one another, at which it holds no lock that the recovery needs, so that
     * this can wait for that. The recovery asks one server after the other.
     */
    @ParameterizedTest
    @CsvSource({
        "service.write.after-append, 1, 0",
        "service.write.after-append, 3, 0",
        "service.write.after-append, 3, 1",
        "service.write.after-append, 3, 2",
        "service.write.before-ack, 1, 0",
        "service.write.before-ack, 3, 0",
        "service.write.before-ack, 3, 1",
        "service.write.before-ack, 3, 2",
        "service.write.before-flush, 1, 0",
        "service.write.before-flush, 3, 0",
        "service.write.before-flush, 3, 1",
        "service.write.before-flush, 3, 2",
        "service.write.after-flush, 1, 0",
        "service.write.after-flush, 3, 0",
        "service.write.after-flush, 3, 1",
        "service.write.after-flush, 3, 2"
    })
    void whatIsAcknowledgedBesideARecoveryIsAmongWhatEachServerKeeps(String step, int servers, int before)
            throws Exception {
        byte[] bytes = BlockRig.bytes(4, 2 * MIB);
        int first = MIB + 77;
        try (BlockRig rig = new BlockRig(directory, servers, BlockRig.settings());
                BlockWriteStream stream =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB))) {
            stream.write(bytes, 0, first);
            stream.hflush();
            List<Connection> connections = new ArrayList<>();
            for (int server = 0; server < servers; server++) {
                connections.add(rig.connect(server));
            }
            List<Long> kept = new CopyOnWriteArrayList<>();
            CountDownLatch recovered = new CountDownLatch(connections.size());
            atTime(step, before, () -> {
                for (Connection connection : connections) {
                    Future<Long> recovery = others.submit(() -> RecoveryCalls.recover(connection, BLOCK, 2));
                    try {
                        kept.add(recovery.get(1, TimeUnit.MINUTES));
                        recovered.countDown();
                    } catch (Exception e) {
                        throw new IllegalStateException("no recovery at " + step, e);
                    }
                }
            });
            int acknowledged = first;
            try {
                stream.write(bytes, first, 100);
                stream.hsync();
                acknowledged += 100;
            } catch (TatamiException refused) {
                assertEquals(ErrorCode.FENCED, refused.code());
            }
            int certain = Math.max(acknowledged, (int) stream.visibleLength());
            assertTrue(recovered.await(1, TimeUnit.MINUTES), "the step did not come, or a server was not recovered");
            CrashPoint.listen(null);
            for (int server = 0; server < servers; server++) {
                int length = (int) (long) kept.get(server);
                assertTrue(length >= certain, () -> kept + " bytes are kept, " + certain + " were acknowledged");
                assertArrayEquals(Arrays.copyOf(bytes, length), rig.read(server, BLOCK, 0, 2 * MIB));
            }
            assertThrows(TatamiException.class, () -> {
                stream.write(bytes, 0, 100);
                stream.hflush();
            });
        }
    }

    @Test
    void aSessionThatOpenedBeforeANewerOneBeganDoesNotFenceIt() throws Exception {
        byte[] bytes = BlockRig.bytes(2, MIB);
        try (BlockRig rig = BlockRig.single(directory);
                BlockWriteStream begun =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB))) {
            BlockRig.write(begun, bytes);
            begun.hsync();
        }
        try (BlockRig rig = BlockRig.single(directory.resolve("second"))) {
            WriteSpec spec = WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB);
            try (BlockWriteStream made = rig.client.openWriter(rig.chain(), spec)) {
                BlockRig.write(made, bytes);
                made.hsync();
            }
            CountDownLatch late = new CountDownLatch(1);
            CountDownLatch newerBegan = new CountDownLatch(1);
            at("service.write.after-open", () -> {
                late.countDown();
                awaitUnchecked(newerBegan);
            });
            Future<BlockWriteStream> older = others.submit(() -> {
                BlockWriteStream stream = rig.client.openWriter(
                        rig.chain(), spec.continuedAt(Generation.of(2), Generation.FIRST, bytes.length, bytes.length));
                stream.awaitReady();
                return stream;
            });
            assertTrue(late.await(1, TimeUnit.MINUTES));
            try (BlockWriteStream newer = rig.client.openWriter(
                    rig.chain(), spec.continuedAt(Generation.of(3), Generation.FIRST, bytes.length, bytes.length))) {
                newer.awaitReady();
                newerBegan.countDown();
                Exception refused = assertThrows(Exception.class, () -> older.get(1, TimeUnit.MINUTES));
                assertTrue(refused.toString().contains("FENCED"), refused::toString);
                BlockRig.write(newer, bytes);
                newer.hsync();
            }
        }
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            assertTrue(latch.await(1, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(BlockRig rig, long generation) throws Exception {
        DeleteBlocksRequest request = DeleteBlocksRequest.newBuilder()
                .addItem(DeleteBlocksRequest.Item.newBuilder()
                        .setBlockId(BLOCK.value())
                        .setGeneration(generation))
                .build();
        assertEquals(
                1,
                rig.connect(0)
                        .callAndWait(BlockMethods.DELETE_BLOCKS, BlockRig.AS_METADATA, request)
                        .getDeletedBlockIdCount());
    }

    @Test
    void aBlockThatWasDeletedBeforeItWasBegunIsRefusedUntilItsGenerationRises() throws Exception {
        byte[] bytes = BlockRig.bytes(3, 100);
        try (BlockRig rig = BlockRig.single(directory)) {
            delete(rig, 1);
            try (BlockWriteStream stream =
                    rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB))) {
                TatamiException refused = assertThrows(TatamiException.class, () -> {
                    BlockRig.write(stream, bytes);
                    stream.hflush();
                });
                assertEquals(ErrorCode.FENCED, refused.code());
            }
            assertTrue(rig.server(0).running().volume().find(BLOCK).isEmpty());
            try (BlockWriteStream stream =
                    rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.of(2), 16 * MIB))) {
                BlockRig.write(stream, bytes);
                stream.hsync();
            }
        }
    }

    @Test
    void oneBlockIsOpenedByOneOfTwoWritersThatComeTogether() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch secondAnswered = new CountDownLatch(1);
            at("service.write.after-create", () -> {
                inside.countDown();
                awaitUnchecked(secondAnswered);
            });
            WriteSpec spec = WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB);
            try (BlockWriteStream first = rig.client.openWriter(rig.chain(), spec)) {
                Future<?> ready = others.submit(() -> {
                    first.awaitReady();
                    return null;
                });
                assertTrue(inside.await(1, TimeUnit.MINUTES));
                try (BlockWriteStream second = rig.client.openWriter(rig.chain(), spec)) {
                    TatamiException refused = assertThrows(TatamiException.class, second::awaitReady);
                    assertEquals(ErrorCode.BUSY, refused.code());
                }
                secondAnswered.countDown();
                ready.get(1, TimeUnit.MINUTES);
                assertFalse(rig.server(0).running().volume().find(BLOCK).isEmpty());
            }
        }
    }
}
