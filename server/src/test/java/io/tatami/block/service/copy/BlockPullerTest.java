package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.Tombstones;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A copy is made whole and sound, or not at all, whatever its sources and its disk do. */
final class BlockPullerTest {
    private static final int CHUNK = 65_536;
    private static final int LENGTH = 5 * (1 << 20) + 12_345;
    private static final BlockId BLOCK = BlockRig.block(1);

    private final ManualClock clock = new ManualClock();
    private final byte[] content = BlockRig.bytes(4, LENGTH);
    private final FakeSources sources = new FakeSources(content, clock);
    private final Tombstones tombstones = new Tombstones();
    private SimVolume disk;
    private long freeBytes;

    @BeforeEach
    void format() throws Exception {
        disk = new SimVolume(32L << 20, 7, clock);
        freeBytes = disk.volume().statistics().freeBytes();
    }

    @AfterEach
    void close() throws Exception {
        CrashPoint.listen(null);
        disk.close();
    }

    @Test
    void aSoundSourceIsCopiedAsAWhole() throws Exception {
        make(pull(LENGTH, 1));

        requireCopy();
        assertEquals(List.of("1 0"), sources.begun);
    }

    @Test
    void anEmptyBlockIsCopied() throws Exception {
        sources.on(1).lengthBytes = 0;

        make(pull(0, 1));

        StoredBlock stored = disk.volume().find(BLOCK).orElseThrow();
        assertTrue(stored.finalized());
        assertEquals(0, stored.durableBytes());
    }

    @Test
    void theNextSourceGoesOnWhereOneDies() throws Exception {
        for (int chunks = 0; chunks * CHUNK < LENGTH; chunks += 7) {
            sources.begun.clear();
            sources.on(1).diesAt = (long) chunks * CHUNK;

            make(pull(LENGTH, 1, 2));

            requireCopy();
            int taken = chunks * CHUNK / (1 << 20) * (1 << 20);
            assertEquals(List.of("1 0", "2 " + taken), sources.begun);
            requireDeleted();
        }
    }

    @Test
    void theNextSourceGoesOnWhereOneIsSilent() throws Exception {
        sources.on(1).hangsAt = 3 << 20;

        make(pull(LENGTH, 1, 2));

        requireCopy();
        assertEquals(List.of("1 0", "2 " + (3 << 20)), sources.begun);
    }

    @Test
    void wrongBytesAreNotTakenAndTheirSourceIsTold() throws Exception {
        sources.on(1).wrongAt = (2 << 20) + 70_000;

        make(pull(LENGTH, 1, 2));

        requireCopy();
        assertEquals(List.of("1 " + (2 << 20)), sources.damage);
    }

    @Test
    void wrongBytesOfTheOnlySourceLeaveNoCopy() throws Exception {
        sources.on(1).wrongAt = LENGTH - 1;

        assertEquals(ErrorCode.CORRUPT, failure(pull(LENGTH, 1)));

        requireNothing();
    }

    @Test
    void aSourceThatEndsTooSoonLeavesNoCopy() throws Exception {
        sources.on(1).endsAt = LENGTH - 1;

        assertEquals(ErrorCode.UNAVAILABLE, failure(pull(LENGTH, 1)));

        requireNothing();
    }

    @Test
    void aCopyOfAnotherLengthIsNotTaken() throws Exception {
        assertEquals(ErrorCode.FENCED, failure(pull(LENGTH - CHUNK, 1)));

        requireNothing();
        assertEquals(List.of(), sources.begun);
    }

    @Test
    void aCopyOfAnotherGenerationOrOneBeingWrittenIsNotTaken() throws Exception {
        sources.on(1).generation = Generation.of(2);
        sources.on(2).finalized = false;

        assertEquals(ErrorCode.FENCED, failure(pull(LENGTH, 1, 2)));

        requireNothing();
        assertEquals(List.of(), sources.begun);
    }

    @Test
    void noByteIsVisibleBeforeTheCopyIsFinished() throws Exception {
        sources.on(1).beforeRead = () -> {
            StoredBlock stored = disk.volume().find(BLOCK).orElseThrow();
            assertEquals(0, stored.visibleBytes());
            assertFalse(stored.finalized());
        };

        make(pull(LENGTH, 1));

        requireCopy();
    }

    @Test
    void aCancelledPullLeavesNoCopy() throws Exception {
        for (int cancelAt = 1; cancelAt <= 50; cancelAt += 7) {
            Pull pull = pull(LENGTH, 1);
            int[] reads = {cancelAt};
            sources.on(1).beforeRead = () -> {
                if (--reads[0] == 0) {
                    pull.cancel(new TatamiException(ErrorCode.FENCED, "another one"));
                }
            };

            assertEquals(ErrorCode.FENCED, failure(pull));

            requireNothing();
        }
    }

    @Test
    void aPullThatWaitsForASilentSourceEndsWhenItIsCancelled() throws Exception {
        Pull pull = pull(LENGTH, 1);
        sources.on(1).hangsAt = 1 << 20;
        sources.on(1).beforeRead = () -> pull.cancel(new TatamiException(ErrorCode.FENCED, "another one"));

        assertEquals(ErrorCode.FENCED, failure(pull));

        requireNothing();
    }

    @Test
    void whatAFenceLeavesOfAPullIsReplacedWhenTheCopyIsAskedForAgain() throws Exception {
        boolean[] fenced = {false};
        sources.on(1).beforeRead = () -> {
            if (!fenced[0]) {
                fenced[0] = true;
                fence();
            }
        };
        assertEquals(ErrorCode.FENCED, failure(pull(LENGTH, 1)));
        disk.crash();

        make(pull(LENGTH, 1));

        requireCopy();
    }

    private void fence() {
        try {
            assertTrue(disk.volume().fence(BLOCK, Generation.of(5)));
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatAWriterLeftBehindADeletionIsReplaced() throws Exception {
        BlockWriter left = disk.volume().create(BLOCK, Generation.FIRST, 1 << 20, false);
        assertEquals(0, left.lengthBytes());

        make(pull(LENGTH, 1));

        requireCopy();
    }

    @Test
    void copyThatIsBegunUnderALaterGrantStays() throws Exception {
        try (BlockWriter later = disk.volume().create(BLOCK, Generation.of(7), 1 << 20, false)) {
            assertEquals(ErrorCode.ALREADY_EXISTS, failure(pull(LENGTH, 1)));
            assertEquals(
                    later.generation(), disk.volume().find(BLOCK).orElseThrow().generation());
        }
    }

    @Test
    void anotherCopyOnThisServerStays() throws Exception {
        make(pull(LENGTH, 1));

        assertEquals(ErrorCode.ALREADY_EXISTS, failure(pull(LENGTH, 1)));

        requireCopy();
    }

    /**
     * Its number was deleted before the late command came that made it, and the mark of that ended with the process.
     */
    @Test
    void finishedCopyOfALowerNumberIsReplaced() throws Exception {
        make(pull(LENGTH, 1));

        make(numbered(2, LENGTH, 1));

        assertEquals(2, disk.volume().find(BLOCK).orElseThrow().copyNumber());
        requireCopy();
        assertEquals(ErrorCode.ALREADY_EXISTS, failure(pull(LENGTH, 1)));
    }

    @Test
    void aDiskThatFailsAnyAccessLeavesTheWholeCopyOrNone() throws Exception {
        for (long access = 0; ; access++) {
            disk.close();
            disk = new SimVolume(32L << 20, 7, clock);
            disk.faults().arm(access, SimFaults.Fault.POWER_CUT);
            boolean made = true;
            try {
                make(pull(LENGTH, 1));
            } catch (TatamiException e) {
                made = false;
            }
            boolean struck = disk.faults().hasStruck();
            disk.crash();
            if (made) {
                // A copy that was reported is durable.
                requireCopy();
            } else if (disk.volume().find(BLOCK).isPresent()) {
                requireCopy();
            } else {
                requireNothing();
            }
            if (!struck) {
                assertTrue(made, "it fails without a cause");
                return;
            }
        }
    }

    @Test
    void aProcessThatEndsAtAnyStepLeavesTheWholeCopyOrNone() throws Exception {
        List<String> steps = List.of(
                "service.copy.after-create",
                "service.copy.after-append",
                "volume.batch.after-write",
                "service.copy.before-finish",
                "volume.batch.after-flush",
                "volume.batch.after-commit",
                "volume.batch.after-release",
                "service.copy.after-finish");
        List<String> finished = steps.subList(steps.indexOf("volume.batch.after-commit"), steps.size());
        for (String step : steps) {
            disk.close();
            disk = new SimVolume(32L << 20, 7, clock);
            // Where the process ends the power is cut at once: no later access of it counts.
            CrashPoint.listen(name -> {
                if (name.equals(step)) {
                    disk.faults().arm(0, SimFaults.Fault.POWER_CUT);
                }
            });
            try {
                make(pull(LENGTH, 1));
            } catch (TatamiException e) {
                assertFalse(finished.contains(step), () -> "made, and failed: " + e);
            }
            CrashPoint.listen(null);
            disk.crash();
            boolean committed = finished.contains(step);
            // The cut of the commit itself may come before or after it.
            boolean committing = step.equals("volume.batch.after-flush");
            if (committed || (committing && disk.volume().find(BLOCK).isPresent())) {
                requireCopy();
            } else {
                requireNothing();
            }
        }
    }

    @Test
    void copyThatWasDeletedBeforeItIsBegunIsNotMade() throws Exception {
        tombstones.addDeleted(BLOCK, 1, Generation.NONE);
        assertEquals(ErrorCode.FENCED, failure(pull(LENGTH, 1)));
        requireNothing();
    }

    /** The deletion looks for the copy just before it is there. */
    @Test
    void copyThatIsDeletedWhileItIsBegunIsNotMade() throws Exception {
        CrashPoint.listen(step -> {
            if ("service.copy.after-create".equals(step)) {
                tombstones.addDeleted(BLOCK, 1, Generation.NONE);
            }
        });
        ErrorCode failure = failure(pull(LENGTH, 1));
        CrashPoint.listen(null);
        assertEquals(ErrorCode.FENCED, failure);
        requireNothing();
    }

    private void make(Pull pull) throws TatamiException {
        VolumeSet volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(disk.volume(), "simulated")));
        ServerContext context =
                new ServerContext(BlockRig.settings(), volumes, clock, new BlockServerMetrics(), () -> new ServerId(9));
        BlockPuller puller = new BlockPuller(context, sources, new CopyRate(clock, 0), tombstones::requireNone);
        FilledCopy copy = puller.fill(pull, disk.volume(), new WritePlaces(1));
        TatamiException failure = puller.finish(disk.volume(), List.of(copy)).get(pull);
        if (failure != null) {
            throw failure;
        }
    }

    private ErrorCode failure(Pull pull) {
        return assertThrows(TatamiException.class, () -> make(pull)).code();
    }

    private void requireCopy() throws TatamiException {
        StoredBlock stored = disk.volume().find(BLOCK).orElseThrow();
        assertTrue(stored.finalized());
        assertEquals(LENGTH, stored.durableBytes());
        assertEquals(Generation.FIRST, stored.generation());
        assertArrayEquals(content, SimVolume.readAll(disk.volume(), BLOCK));
    }

    /** The copy has the number that it was made with. */
    private void requireDeleted() throws TatamiException {
        assertFalse(disk.volume().delete(BLOCK, 2, Generation.NONE));
        assertTrue(disk.volume().delete(BLOCK, 1, Generation.NONE));
        requireNothing();
    }

    private void requireNothing() {
        assertTrue(disk.volume().find(BLOCK).isEmpty());
        assertEquals(freeBytes, disk.volume().statistics().freeBytes());
    }

    private static Pull pull(long length, int... servers) throws TatamiException {
        return numbered(1, length, servers);
    }

    private static Pull numbered(int copyNumber, long length, int... servers) throws TatamiException {
        PullBlocksRequest.Item.Builder item = PullBlocksRequest.Item.newBuilder()
                .setBlockId(BLOCK.value())
                .setGeneration(Generation.FIRST.value())
                .setLength(length)
                .setCopyNumber(copyNumber);
        for (int server : servers) {
            item.addSource(WriteTarget.newBuilder()
                    .setServerId(server)
                    .setHost("source")
                    .setPort(1));
        }
        return Pull.of(item.build());
    }
}
