package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader of a block at each step of its writer: it gets the block's bytes or is told to read again. */
class ReaderBesideWriterTest {
    private static final BlockId BLOCK = new BlockId(7);
    private static final long MIB = 1 << 20;
    private static final int UNIT = 4 << 20;

    private final Random random = new Random(11);
    private final Set<String> steps = new TreeSet<>();

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Reads all visible bytes at every step of the volume on this thread from here on. */
    private void readAtEachStep(Volume volume, byte[] written) {
        CrashPoint.listen(name -> {
            if (name.startsWith("volume.")) {
                steps.add(name);
                read(volume, written, name);
            }
        });
    }

    private static void read(Volume volume, byte[] written, String step) {
        Optional<StoredBlock> stored = volume.find(BLOCK);
        if (stored.isEmpty()) {
            return;
        }
        int visible = (int) stored.get().visibleBytes();
        try {
            assertArrayEquals(Arrays.copyOf(written, visible), SimVolume.read(volume, BLOCK, 0, visible), "at " + step);
        } catch (TatamiException e) {
            assertTrue(
                    e.code() == ErrorCode.BUSY || e.code() == ErrorCode.NO_SUCH_BLOCK, () -> "at " + step + ": " + e);
        }
        assertFalse(volume.find(BLOCK).map(StoredBlock::damaged).orElse(false), "damaged at " + step);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4_095, 5_000, 65_536, 70_001, UNIT - 1, UNIT + 1, UNIT + 70_001})
    void everyStepOfSyncAndFinishShowsTheBytes(int length) throws TatamiException {
        try (SimVolume sim = new SimVolume(64 * MIB, 1)) {
            byte[] written = bytes(length + 3_001);
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 16 * MIB, false);
            readAtEachStep(sim.volume(), written);
            writer.append(ByteBuffer.wrap(written, 0, length), null);
            writer.makeVisible(length);
            writer.sync();
            writer.append(ByteBuffer.wrap(written, length, 3_001), null);
            writer.makeVisible(written.length);
            writer.finish();
            assertTrue(steps.contains("volume.finish.after-write"), steps::toString);
            assertEquals(0, sim.damages().size(), sim.damages().toString());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5_000, 70_001, UNIT + 70_001})
    void noStepOfAnAbortOrADeletionShowsOtherBytes(int synced) throws TatamiException {
        for (boolean deletes : new boolean[] {false, true}) {
            try (SimVolume sim = new SimVolume(64 * MIB, 1)) {
                byte[] written = bytes(synced + 5_000);
                BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 16 * MIB, false);
                writer.append(ByteBuffer.wrap(written, 0, synced), null);
                if (synced > 0) {
                    writer.sync();
                }
                writer.append(ByteBuffer.wrap(written, synced, 5_000), null);
                writer.makeVisible(written.length);
                readAtEachStep(sim.volume(), written);
                if (deletes) {
                    sim.volume().delete(BLOCK, Generation.MAX);
                } else {
                    writer.abort();
                }
                CrashPoint.listen(null);
                assertTrue(steps.contains("volume.discard.released"), steps::toString);
                assertEquals(0, sim.damages().size(), sim.damages().toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5_000, 70_001, 200_000})
    void aReaderIsGivenTheLastBytesWhileTheirWriteIsUnderWay(int length) throws Exception {
        try (HangingVolume hanging = new HangingVolume(64 * MIB, VolumeResources.withBuffers(4, 4))) {
            ExecutorService writing = Executors.newSingleThreadExecutor();
            try {
                byte[] written = bytes(length);
                BlockWriter writer = hanging.volume().create(BLOCK, Generation.FIRST, 16 * MIB, false);
                writer.append(ByteBuffer.wrap(written), null);
                writer.makeVisible(length);
                hanging.device().hang();
                Future<Long> finished = writing.submit(writer::finish);
                hanging.device().awaitHanging();

                assertArrayEquals(written, SimVolume.read(hanging.volume(), BLOCK, 0, length));

                hanging.device().goOn();
                assertEquals(length, finished.get(1, TimeUnit.MINUTES));
                assertArrayEquals(written, SimVolume.read(hanging.volume(), BLOCK, 0, length));
            } finally {
                writing.shutdownNow();
            }
        }
    }

    @Test
    void aChunkIsCalledDamagedOnlyWhenItFailsASecondRead() throws TatamiException {
        try (SimVolume sim = new SimVolume(64 * MIB, 1)) {
            byte[] written = bytes(100_000);
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
            writer.append(ByteBuffer.wrap(written), null);
            writer.finish();
            sim.disk().flipOnNextRead();

            assertArrayEquals(written, SimVolume.read(sim.volume(), BLOCK, 0, written.length));

            assertEquals(0, sim.damages().size(), sim.damages().toString());
            assertFalse(sim.volume().find(BLOCK).orElseThrow().damaged());
        }
    }
}
