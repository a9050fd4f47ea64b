package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.Tombstones;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.PullBlocksReply.Answer;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies that are finished together: each is reported once it is durable, or it leaves nothing. */
final class BatchedPullsTest {
    private static final int LENGTH = 100_000;
    private static final int COPIES = 8;
    private static final String FLUSHED = "device.flush.after";

    private final ManualClock clock = new ManualClock();
    private final byte[] content = BlockRig.bytes(4, LENGTH);
    private final FakeSources sources = new FakeSources(content, clock);
    private final Tombstones tombstones = new Tombstones();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<CopiesMadeRequest.Item> reports = new ArrayList<>();
    private SimVolume disk;
    private BlockPulls pulls;

    @BeforeEach
    void serve() throws Exception {
        serve(fourAtOnce(), 7);
    }

    /** Half of a place, for eight short blocks, is for the only source. */
    private static BlockServerSettings fourAtOnce() throws Exception {
        return BlockRig.settings("tatami.block.pulls.max", "1");
    }

    private void serve(BlockServerSettings settings, long seed) throws Exception {
        disk = new SimVolume(16L << 20, seed, clock);
        VolumeSet volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(disk.volume(), "simulated")));
        ServerContext context =
                new ServerContext(settings, volumes, clock, new BlockServerMetrics(), () -> new ServerId(3));
        pulls = new BlockPulls(
                context, sources, new CopyRate(clock, 0), tombstones::requireNone, tasks::add, reports::add);
    }

    @AfterEach
    void close() throws Exception {
        CrashPoint.listen(null);
        disk.close();
    }

    @Test
    void copiesThatAreFilledBeforeTheFlushBeginsShareIt() throws Exception {
        List<String> flushes = noteFlushes();

        askForAll();
        runAll();

        assertEquals(COPIES, made());
        assertEquals(2, flushes.size(), "four are filled at once");
    }

    @Test
    void copiesAreFinishedOneByOneWhereTheSettingSaysSo() throws Exception {
        disk.close();
        serve(BlockRig.settings("tatami.block.copy.batch.max", "1"), 7);
        List<String> flushes = noteFlushes();

        askForAll();
        tasks.remove().run();
        assertEquals(1, made(), "it keeps its place until it is made");
        runAll();

        assertEquals(COPIES, made());
        assertEquals(COPIES, flushes.size());
    }

    @Test
    void aLoneCopyIsFinishedWithoutWaitingForOthers() throws Exception {
        assertEquals(Answer.ADMITTED, pull(1, 1));

        runAll();

        assertEquals(1, made());
    }

    @Test
    void nothingIsReportedBeforeItIsDurable() throws Exception {
        CrashPoint.listen(step -> {
            if (step.equals("volume.batch.after-flush")) {
                assertEquals(List.of(), reports);
                assertEquals(4, pulls.running());
            }
        });
        for (int number = 1; number <= 4; number++) {
            assertEquals(Answer.ADMITTED, pull(number, 1));
        }

        runAll();

        assertEquals(4, made());
    }

    @Test
    void powerCutAtAnyAccessLeavesEachCopyThatWasReported() throws Exception {
        for (long access = 0; ; access++) {
            disk.close();
            serve(fourAtOnce(), access);
            reports.clear();
            tasks.clear();
            disk.faults().arm(access, SimFaults.Fault.POWER_CUT);
            askForAll();
            runAll();
            boolean struck = disk.faults().hasStruck();
            disk.crash();
            for (CopiesMadeRequest.Item report : reports) {
                if (report.getError() == 0) {
                    requireWhole(report.getBlockId());
                }
            }
            for (StoredBlock stored : disk.volume().blocks()) {
                requireWhole(stored.block().value());
            }
            if (!struck) {
                assertEquals(COPIES, made());
                return;
            }
        }
    }

    @Test
    void processThatEndsAtAnyStepOfABatchLeavesEachCopyThatWasReported() throws Exception {
        List<String> steps = List.of(
                "volume.batch.after-write",
                "service.copy.before-finish",
                "volume.batch.after-flush",
                "volume.batch.after-commit",
                "volume.batch.after-release",
                "service.copy.after-finish",
                "service.copy.before-report");
        for (String step : steps) {
            for (int nth = 1; nth <= 2; nth++) {
                endProcessAt(step, nth);
            }
        }
    }

    private void endProcessAt(String step, int nth) throws Exception {
        disk.close();
        serve(fourAtOnce(), nth);
        reports.clear();
        tasks.clear();
        int[] left = {nth};
        List<CopiesMadeRequest.Item> before = new ArrayList<>();
        CrashPoint.listen(name -> {
            if (name.equals(step) && --left[0] == 0) {
                disk.faults().arm(0, SimFaults.Fault.POWER_CUT);
                before.addAll(reports);
            }
        });
        askForAll();
        runAll();
        CrashPoint.listen(null);
        assertTrue(left[0] <= 0, () -> step + " was not passed");
        disk.crash();
        for (CopiesMadeRequest.Item report : before) {
            requireWhole(report.getBlockId());
        }
        for (StoredBlock stored : disk.volume().blocks()) {
            requireWhole(stored.block().value());
        }
    }

    @Test
    void copyThatIsCancelledWhileItWaitsIsDropped() throws Exception {
        List<String> flushes = noteFlushes();
        fillOne();

        assertEquals(Answer.BUSY, pull(1, 2));
        runAll();

        assertFailed(ErrorCode.FENCED);
        assertEquals(List.of(), flushes);
        assertTrue(disk.volume().find(BlockRig.block(1)).isEmpty());
        assertEquals(Answer.ADMITTED, pull(1, 2));
        runAll();
        assertEquals(1, made());
    }

    @Test
    void copyThatIsCancelledDuringTheFlushIsNotNamed() throws Exception {
        onceFlushed(() -> assertEquals(Answer.BUSY, pull(1, 2)));
        fillOne();

        runAll();

        assertFailed(ErrorCode.FENCED);
        assertTrue(disk.crash().find(BlockRig.block(1)).isEmpty());
    }

    @Test
    void copyThatIsDeletedWhileItWaitsFailsAndTheOthersAreMade() throws Exception {
        ask(3);
        runUntilFilled(3);
        delete(2);

        runAll();

        assertFailed(ErrorCode.FENCED);
        assertEquals(2, made());
        assertTrue(disk.crash().find(BlockRig.block(2)).isEmpty());
    }

    @Test
    void copyThatIsDeletedDuringTheFlushFailsAndTheOthersAreMade() throws Exception {
        onceFlushed(() -> delete(2));
        ask(3);

        runAll();

        assertFailed(ErrorCode.NO_SUCH_BLOCK);
        assertEquals(2, made());
        assertTrue(disk.crash().find(BlockRig.block(2)).isEmpty());
    }

    /** The mark is there, and the copy is not looked for yet. */
    @Test
    void markOfADeletionThatComesDuringTheFlushIsSeenBeforeTheCopyIsNamed() throws Exception {
        onceFlushed(() -> tombstones.addDeleted(BlockRig.block(2), 1, Generation.NONE));
        ask(3);

        runAll();

        assertFailed(ErrorCode.FENCED);
        assertEquals(2, made());
        assertTrue(disk.crash().find(BlockRig.block(2)).isEmpty());
    }

    @Test
    void copyThatIsFencedDuringTheFlushIsNotFinished() throws Exception {
        onceFlushed(() -> {
            tombstones.addFenced(BlockRig.block(2), Generation.of(5));
            assertTrue(disk.volume().fence(BlockRig.block(2), Generation.of(5)));
        });
        ask(3);

        runAll();

        assertFailed(ErrorCode.FENCED);
        assertEquals(2, made());
        assertFalse(disk.crash().find(BlockRig.block(2)).orElseThrow().finalized());
    }

    @Test
    void failedFlushFailsEachCopyOfTheBatch() throws Exception {
        assertAllFailAt("device.flush.before");
    }

    @Test
    void failedStepOfTheIndexFailsEachCopyOfTheBatch() throws Exception {
        assertAllFailAt("volume.batch.after-flush");
    }

    private void assertAllFailAt(String step) throws Exception {
        long freeBytes = disk.volume().statistics().freeBytes();
        CrashPoint.listen(name -> {
            if (name.equals(step)) {
                disk.faults().arm(0, SimFaults.Fault.IO_ERROR);
            }
        });
        ask(4);

        runAll();

        assertEquals(
                List.of(ErrorCode.IO_ERROR.number()),
                reports.stream()
                        .map(CopiesMadeRequest.Item::getError)
                        .distinct()
                        .toList());
        assertEquals(4, reports.size());
        assertEquals(List.of(), disk.volume().blocks());
        assertEquals(freeBytes, disk.volume().statistics().freeBytes());
        assertFalse(disk.volume().statistics().failure().isEmpty());
        assertEquals(0, pulls.running());
    }

    @Test
    void serverThatStopsDropsWhatWaitsForItsBatch() throws Exception {
        ask(3);
        runUntilFilled(3);

        pulls.close();
        assertFalse(pulls.awaitEnd(disk.volume(), 0));
        runAll();

        assertTrue(pulls.awaitEnd(disk.volume(), 0));
        assertEquals(List.of(), reports);
        assertEquals(List.of(), disk.volume().blocks());
    }

    @Test
    void serverThatStopsDuringTheFlushLeavesNothingAndReportsNothing() throws Exception {
        onceFlushed(pulls::close);
        ask(3);

        runAll();

        assertTrue(pulls.awaitEnd(disk.volume(), 0));
        assertEquals(List.of(), reports);
        assertEquals(List.of(), disk.crash().blocks());
    }

    /** Something that happens. */
    private interface Event {
        void happen() throws Exception;
    }

    private static void onceFlushed(Event event) {
        CrashPoint.listen(step -> {
            if (step.equals(FLUSHED)) {
                CrashPoint.listen(null);
                try {
                    event.happen();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        });
    }

    private static List<String> noteFlushes() {
        List<String> flushes = new ArrayList<>();
        CrashPoint.listen(step -> {
            if (step.equals(FLUSHED)) {
                flushes.add(step);
            }
        });
        return flushes;
    }

    private void delete(int number) throws TatamiException {
        tombstones.addDeleted(BlockRig.block(number), 1, Generation.NONE);
        assertTrue(disk.volume().delete(BlockRig.block(number), 1, Generation.NONE));
    }

    private void askForAll() throws Exception {
        ask(COPIES);
    }

    private void ask(int copies) throws Exception {
        for (int number = 1; number <= copies; number++) {
            Answer unused = pull(number, 1);
        }
    }

    private Answer pull(int number, int copyNumber) throws Exception {
        PullBlocksRequest.Item item = PullBlocksRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(number).value())
                .setGeneration(1)
                .setLength(LENGTH)
                .setCopyNumber(copyNumber)
                .addSource(
                        WriteTarget.newBuilder().setServerId(1).setHost("host").setPort(1))
                .build();
        return pulls.pull(PullBlocksRequest.newBuilder().addItem(item).build()).getAnswer(0);
    }

    private void fillOne() throws Exception {
        assertEquals(Answer.ADMITTED, pull(1, 1));
        runUntilFilled(1);
    }

    /** The tasks that fill copies are before the one that finishes them. */
    private void runUntilFilled(int copies) {
        for (int copy = 0; copy < copies; copy++) {
            tasks.remove().run();
        }
        assertEquals(1, tasks.size());
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private long made() {
        return reports.stream().filter(report -> report.getError() == 0).count();
    }

    private void assertFailed(ErrorCode code) {
        assertEquals(
                List.of(code.number()),
                reports.stream()
                        .map(CopiesMadeRequest.Item::getError)
                        .filter(error -> error != 0)
                        .toList());
    }

    private void requireWhole(long block) throws TatamiException {
        StoredBlock stored = disk.volume()
                .find(new BlockId(block))
                .orElseThrow(() -> new AssertionError("a copy that was reported is gone"));
        assertTrue(stored.finalized());
        assertArrayEquals(content, SimVolume.readAll(disk.volume(), stored.block()));
    }
}
