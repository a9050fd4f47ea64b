package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks that are finalized together are all durable afterwards, and none is seen before. */
final class BatchFinishTest {
    private static final int BLOCKS = 5;
    private static final int LENGTH = 70_123;
    private static final String FLUSHED = "volume.batch.after-flush";

    private SimVolume disk;
    private long freeBytes;

    @BeforeEach
    void format() throws Exception {
        disk = new SimVolume(8L << 20, 7);
        freeBytes = disk.volume().statistics().freeBytes();
    }

    @AfterEach
    void close() throws Exception {
        CrashPoint.listen(null);
        disk.close();
    }

    @Test
    void blocksOfABatchShareOneFlushAndOneStepOfTheIndex() throws Exception {
        List<BlockWriter> writers = written();
        long before = disk.faults().accesses();

        assertEquals(Map.of(), finish(writers));

        assertEquals(2, disk.faults().accesses() - before);
        disk.crash();
        for (int number = 0; number < BLOCKS; number++) {
            requireWhole(number);
        }
    }

    @Test
    void emptyBlockNeedsNoFlush() throws Exception {
        BlockWriter writer = disk.volume().create(block(0), Generation.FIRST, 1, false);
        writer.writeOut();
        long before = disk.faults().accesses();

        assertEquals(Map.of(), finish(List.of(writer)));

        assertEquals(1, disk.faults().accesses() - before);
        assertTrue(disk.volume().find(block(0)).orElseThrow().finalized());
    }

    @Test
    void noBlockIsSeenBeforeTheIndexNamesAll() throws Exception {
        List<String> seen = new ArrayList<>();
        CrashPoint.listen(step -> {
            if (step.equals(FLUSHED) || step.equals("volume.batch.after-commit")) {
                for (StoredBlock stored : disk.volume().blocks()) {
                    assertFalse(stored.finalized());
                    assertEquals(0, stored.visibleBytes());
                    assertEquals(0, stored.durableBytes());
                }
                seen.add(step);
            }
        });

        assertEquals(Map.of(), finish(written()));

        assertEquals(List.of(FLUSHED, "volume.batch.after-commit"), seen);
    }

    @Test
    void powerCutAtAnyAccessLeavesAllBlocksOrNone() throws Exception {
        for (long access = 0; ; access++) {
            disk.close();
            disk = new SimVolume(8L << 20, access);
            disk.faults().arm(access, SimFaults.Fault.POWER_CUT);
            boolean finished = true;
            try {
                assertEquals(Map.of(), finish(written()));
            } catch (TatamiException e) {
                finished = false;
            }
            boolean struck = disk.faults().hasStruck();
            disk.crash();
            int found = disk.volume().blocks().size();
            assertTrue(found == BLOCKS || (found == 0 && !finished), () -> found + " are left");
            for (int number = 0; number < found; number++) {
                requireWhole(number);
            }
            disk.requireEmptyOnceAllIsDeleted("a power cut");
            if (!struck) {
                return;
            }
        }
    }

    @Test
    void blockThatIsDeletedDuringTheFlushIsLeftOut() throws Exception {
        List<BlockWriter> writers = written();
        onceFlushed(() -> assertTrue(disk.volume().delete(block(2), 0, Generation.FIRST)));

        assertRefused(2, ErrorCode.NO_SUCH_BLOCK, writers, finish(writers));

        assertTrue(disk.crash().find(block(2)).isEmpty());
        requireOthers(2);
        disk.requireEmptyOnceAllIsDeleted("a deletion");
    }

    @Test
    void blockThatIsFencedDuringTheFlushIsLeftOut() throws Exception {
        List<BlockWriter> writers = written();
        onceFlushed(() -> assertTrue(disk.volume().fence(block(2), Generation.of(5))));

        assertRefused(2, ErrorCode.FENCED, writers, finish(writers));

        assertFalse(disk.crash().find(block(2)).orElseThrow().finalized());
        requireOthers(2);
    }

    @Test
    void blockThatTheLastLookRefusesIsLeftOutAndCanBeAborted() throws Exception {
        List<BlockWriter> writers = written();

        Map<BlockWriter, TatamiException> refused = disk.volume().finish(writers, writer -> {
            if (writer.block().equals(block(2))) {
                throw new TatamiException(ErrorCode.FENCED, "not wanted");
            }
        });

        assertRefused(2, ErrorCode.FENCED, writers, refused);
        writers.get(2).abort();
        requireOthers(2);
        assertTrue(disk.volume().find(block(2)).isEmpty());
        disk.requireEmptyOnceAllIsDeleted("a refusal");
    }

    @Test
    void failedFlushFinishesNoneAndStopsTheVolume() throws Exception {
        List<BlockWriter> writers = written();
        disk.faults().arm(0, SimFaults.Fault.IO_ERROR);

        assertThrows(TatamiException.class, () -> finish(writers));

        for (BlockWriter writer : writers) {
            writer.abort();
        }
        assertEquals(List.of(), disk.volume().blocks());
        assertEquals(freeBytes, disk.volume().statistics().freeBytes());
        assertThrows(TatamiException.class, () -> disk.volume().throwIfStopped());
        assertEquals(List.of(), disk.crash().blocks());
    }

    @Test
    void recoveryGoesOnWithABlockThatWaitsForItsBatch() throws Exception {
        List<BlockWriter> writers = written();
        byte[] more = bytes(77, 5_000);
        BlockWriter next = disk.volume().reopen(block(2), Generation.of(2), LENGTH, LENGTH + more.length);
        next.append(ByteBuffer.wrap(more), null);

        assertRefused(2, ErrorCode.FENCED, writers, finish(writers));

        assertEquals(LENGTH + more.length, next.finish());
        disk.crash();
        requireOthers(2);
        assertArrayEquals(bytes(2, LENGTH), SimVolume.read(disk.volume(), block(2), 0, LENGTH));
        assertArrayEquals(more, SimVolume.read(disk.volume(), block(2), LENGTH, more.length));
    }

    /** Something that is done to the volume. */
    private interface Step {
        void run() throws TatamiException;
    }

    private static void onceFlushed(Step step) {
        CrashPoint.listen(name -> {
            if (name.equals(FLUSHED)) {
                try {
                    step.run();
                } catch (TatamiException e) {
                    throw new AssertionError(e);
                }
            }
        });
    }

    private Map<BlockWriter, TatamiException> finish(List<BlockWriter> writers) throws TatamiException {
        return disk.volume().finish(writers, writer -> {});
    }

    private List<BlockWriter> written() throws TatamiException {
        List<BlockWriter> writers = new ArrayList<>();
        for (int number = 0; number < BLOCKS; number++) {
            BlockWriter writer = disk.volume().create(block(number), Generation.FIRST, 2 * LENGTH, false);
            writer.append(ByteBuffer.wrap(bytes(number, LENGTH)), null);
            writer.writeOut();
            writers.add(writer);
        }
        return writers;
    }

    private static void assertRefused(
            int number, ErrorCode code, List<BlockWriter> writers, Map<BlockWriter, TatamiException> refused) {
        assertEquals(List.of(writers.get(number)), List.copyOf(refused.keySet()));
        assertEquals(
                List.of(code),
                refused.values().stream().map(TatamiException::code).toList());
    }

    private void requireOthers(int left) throws TatamiException {
        for (int number = 0; number < BLOCKS; number++) {
            if (number != left) {
                requireWhole(number);
            }
        }
    }

    private void requireWhole(int number) throws TatamiException {
        assertTrue(disk.volume().find(block(number)).orElseThrow().finalized());
        assertArrayEquals(bytes(number, LENGTH), SimVolume.readAll(disk.volume(), block(number)));
    }

    private static BlockId block(int number) {
        return BlockId.of(3, 0, number + 1);
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
