package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.report.DamageReports;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.ReadTerms;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.ReportDamageRequest;
import io.tatami.rpc.CallOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage that a reader meets is told to the block's shard at once, and a reader's word alone does nothing. */
final class DamageReportTest {
    private static final int CHUNK = ChunkChecksum.CHUNK_BYTES;
    private static final int LENGTH = 9 << 20;
    private static final int ROTTEN_AT = 5 * (1 << 20) + 70_000;
    private static final BlockId BLOCK = BlockRig.block(1);

    @TempDir
    Path directory;

    private final NotedMetadata metadata = new NotedMetadata();
    private final byte[] bytes = BlockRig.bytes(1, LENGTH);

    @BeforeEach
    void giveTheIdThatTheServerHas() {
        metadata.given.set(1);
    }

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void damageThatAReaderMeetsIsToldToTheShardOnce(boolean sharesMemory) throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            rot(rig);
            BlockClient client = sharesMemory ? rig.client : rig.clientWithoutMemory();

            for (int read = 0; read < 3; read++) {
                assertEquals(ErrorCode.CORRUPT, failureOfReading(rig, client, 0, ReadTerms.ANY));
            }

            BlockDamageTest.awaitTrue(() -> !metadata.damaged.isEmpty());
            assertTrue(
                    rig.server(0).running().volume().find(BLOCK).orElseThrow().damaged());
            assertEquals(List.of(BLOCK), List.copyOf(metadata.damaged));
        }
    }

    @Test
    void aShardThatDoesNotAnswerIsToldAgain() throws Exception {
        metadata.refusedNotices.set(2);
        try (BlockRig rig = BlockRig.single(directory)) {
            rot(rig);

            assertEquals(ErrorCode.CORRUPT, failureOfReading(rig, rig.client, 0, ReadTerms.ANY));

            BlockDamageTest.awaitTrue(() -> metadata.damaged.equals(List.of(BLOCK)));
        }
    }

    @Test
    void aDamagedCopyIsRefusedToThoseWhoHaveOthersAndReadAsFarAsItIsSound() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            rot(rig);
            ReadTerms soundOnly = new ReadTerms(true, true);
            int sound = ROTTEN_AT / CHUNK * CHUNK;
            assertArrayEquals(Arrays.copyOf(bytes, 1_000), read(rig, 0, 1_000, soundOnly));
            assertEquals(ErrorCode.CORRUPT, failureOfReading(rig, rig.client, 0, soundOnly));
            BlockDamageTest.awaitTrue(() ->
                    rig.server(0).running().volume().find(BLOCK).orElseThrow().damaged());

            assertEquals(ErrorCode.CORRUPT, failureOfReading(rig, rig.client, sound + CHUNK, soundOnly));

            assertArrayEquals(Arrays.copyOf(bytes, sound), read(rig, 0, sound, ReadTerms.ANY));
            int behind = sound + CHUNK;
            assertArrayEquals(
                    Arrays.copyOfRange(bytes, behind, LENGTH), read(rig, behind, LENGTH - behind, ReadTerms.ANY));
        }
    }

    @Test
    void aClientThatLiesChangesNothing() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            begin(rig);

            report(rig, BLOCK, 1, ROTTEN_AT);

            BlockServerMetrics metrics = rig.server(0).running().server().metrics();
            BlockDamageTest.awaitTrue(() -> metrics.damageChecks() == 1);
            // The next one is looked into after the first.
            report(rig, BLOCK, 1, 0);
            BlockDamageTest.awaitTrue(() -> metrics.damageChecks() == 2);
            assertSound(rig);
            assertArrayEquals(bytes, read(rig, 0, LENGTH, new ReadTerms(true, true)));
        }
    }

    @Test
    void ofAFloodOfReportsFewWait() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            begin(rig);
            CountDownLatch looking = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            CrashPoint.listen(name -> {
                if (name.equals("service.damage.before-read")) {
                    looking.countDown();
                    await(goOn);
                }
            });
            report(rig, BLOCK, 1, 0);
            await(looking);

            int taken = 1;
            for (int chunk = 1; chunk < LENGTH / CHUNK; chunk++) {
                try {
                    report(rig, BLOCK, 1, (long) chunk * CHUNK);
                    taken++;
                } catch (TatamiException e) {
                    assertEquals(ErrorCode.BUSY, e.code());
                }
            }

            assertEquals(1 + DamageReports.WAITING_OF_CONNECTION_MAX, taken);
            // What is read waits for none of that.
            assertArrayEquals(bytes, read(rig, 0, LENGTH, ReadTerms.ANY));
            goOn.countDown();
            BlockServerMetrics metrics = rig.server(0).running().server().metrics();
            BlockDamageTest.awaitTrue(() -> metrics.damageChecks() == 1 + DamageReports.WAITING_OF_CONNECTION_MAX);
            assertSound(rig);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aReportOfAnotherGenerationOrAnAbsentBlockOrBeyondItsEndIsIgnored() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            rot(rig);
            report(rig, BLOCK, 2, 0);
            report(rig, BlockRig.block(99), 1, 0);
            report(rig, BLOCK, 1, LENGTH);
            report(rig, BLOCK, 1, Long.MAX_VALUE);

            // One after the other, and this one is true.
            report(rig, BLOCK, 1, ROTTEN_AT);

            BlockDamageTest.awaitTrue(() -> metadata.damaged.equals(List.of(BLOCK)));
            assertEquals(1, rig.server(0).running().server().metrics().damageChecks());
            TatamiException malformed = assertThrows(TatamiException.class, () -> report(rig, BLOCK, 1, -1));
            assertEquals(ErrorCode.MALFORMED, malformed.code());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBlockThatIsDeletedOrCutBeforeItIsReadAgainIsLeftAlone(boolean isDeleted) throws Exception {
        AtomicInteger looked = new AtomicInteger();
        try (BlockRig rig = BlockRig.single(directory)) {
            begin(rig);
            BlockRig.Running running = rig.server(0).running();
            CrashPoint.listen(name -> {
                if (name.equals("service.damage.before-read") && looked.getAndIncrement() == 0) {
                    change(running, isDeleted);
                }
            });

            report(rig, BLOCK, 1, ROTTEN_AT);

            BlockDamageTest.awaitTrue(() -> looked.get() == 1
                    && running.volume()
                            .find(BLOCK)
                            .map(stored -> stored.generation().equals(Generation.of(2)))
                            .orElse(isDeleted));
            BlockStreamTest.writeWhole(rig, BlockRig.block(2), bytes);
            report(rig, BlockRig.block(2), 1, 0);
            BlockDamageTest.awaitTrue(() -> running.server().metrics().damageChecks() == 1);
            assertEquals(2, looked.get());
            assertEquals(List.of(), List.copyOf(metadata.damaged));
        }
    }

    private static void change(BlockRig.Running running, boolean isDeleted) {
        try {
            if (isDeleted) {
                running.volume().delete(BLOCK, Generation.FIRST);
            } else {
                running.volume().truncate(BLOCK, Generation.of(2), 1_000);
            }
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A server of a cluster, with a block. */
    private void begin(BlockRig rig) throws Exception {
        BlockStreamTest.writeWhole(rig, BLOCK, bytes);
        join(rig);
    }

    private void join(BlockRig rig) throws Exception {
        rig.server(0)
                .running()
                .server()
                .join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                .get(20, TimeUnit.SECONDS);
    }

    /** A server of a cluster, with a block of which a byte is wrong on its device. */
    private void rot(BlockRig rig) throws Exception {
        BlockStreamTest.writeWhole(rig, BLOCK, bytes);
        rig.server(0).stop();
        BlockDamageTest.flipByteAfter(rig.server(0).volumeFile, Arrays.copyOfRange(bytes, ROTTEN_AT, ROTTEN_AT + 64));
        rig.server(0).start();
        join(rig);
    }

    private void assertSound(BlockRig rig) {
        assertFalse(rig.server(0).running().volume().find(BLOCK).orElseThrow().damaged());
        assertEquals(List.of(), List.copyOf(metadata.damaged));
    }

    private static void report(BlockRig rig, BlockId block, long generation, long offset) throws Exception {
        ReportDamageRequest request = ReportDamageRequest.newBuilder()
                .setBlockId(block.value())
                .setGeneration(generation)
                .setOffset(offset)
                .build();
        rig.connect(0).callAndWait(BlockMethods.REPORT_DAMAGE, CallOptions.DEFAULT, request);
    }

    private static ErrorCode failureOfReading(BlockRig rig, BlockClient client, int from, ReadTerms terms)
            throws Exception {
        try (BlockReadStream stream =
                client.openReader(rig.target(0), BLOCK, Generation.FIRST, from, LENGTH - from, terms)) {
            byte[] some = new byte[1 << 20];
            return assertThrows(TatamiException.class, () -> {
                        int count = 0;
                        while (count >= 0) {
                            count = stream.read(some, 0, some.length);
                        }
                    })
                    .code();
        }
    }

    private static byte[] read(BlockRig rig, int from, int length, ReadTerms terms) throws Exception {
        byte[] read = new byte[length];
        try (BlockReadStream stream =
                rig.client.openReader(rig.target(0), BLOCK, Generation.FIRST, from, length, terms)) {
            int total = 0;
            while (total < length) {
                int count = stream.read(read, total, length - total);
                assertTrue(count > 0, "the end was reached at " + total);
                total += count;
            }
        }
        return read;
    }
}
