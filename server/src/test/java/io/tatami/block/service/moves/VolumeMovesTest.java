package io.tatami.block.service.moves;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.Halt;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.VolumeStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What others do to a block while it is moved between two volumes, and what is kept of a block that both have. */
final class VolumeMovesTest {
    private static final int LENGTH = 200_000;
    private static final Generation NINE = Generation.of(9);

    private MoveRig rig;

    @BeforeEach
    void open() throws TatamiException {
        rig = new MoveRig(1, 10);
    }

    @AfterEach
    void close() throws TatamiException {
        CrashPoint.listen(null);
        rig.close();
    }

    private interface Step {
        void run() throws TatamiException;
    }

    /** Once, when a move gets to a point. */
    private static void at(String point, Step step) {
        boolean[] done = {false};
        CrashPoint.listen(name -> {
            if (name.equals(point) && !done[0]) {
                done[0] = true;
                try {
                    step.run();
                } catch (TatamiException e) {
                    throw new AssertionError(e);
                }
            }
        });
    }

    private BlockId draining() throws TatamiException {
        BlockId block = rig.write(LENGTH, 3, false);
        rig.drain();
        return block;
    }

    private StoredBlock on(Volume volume, BlockId block) {
        return volume.find(block).orElseThrow();
    }

    @Test
    void aFenceDuringAMoveHolds() throws TatamiException {
        BlockId block = draining();
        at("volume.transfer.after-unit", () -> {
            boolean raised = rig.first.volume().fence(block, NINE);
            assertTrue(raised);
        });

        rig.moves().moveAll();

        assertEquals(NINE, on(rig.first.volume(), block).promised());
        assertTrue(rig.second.volume().find(block).isEmpty());
        rig.moves().moveAll();
        assertEquals(NINE, on(rig.second.volume(), block).promised());
        rig.crash();
        assertEquals(NINE, on(rig.second.volume(), block).promised());
        assertTrue(rig.first.volume().find(block).isEmpty());
    }

    @Test
    void aDeletionDuringAMoveWinsAndLeavesNoRoomTaken() throws TatamiException {
        BlockId block = draining();
        at("volume.transfer.after-unit", () -> {
            boolean deleted = rig.first.volume().delete(block, 3, Generation.MAX);
            assertTrue(deleted);
        });

        rig.moves().moveAll();

        assertTrue(rig.volumes().findAll(block).isEmpty());
        rig.forget(block);
        rig.compare("after a deletion");
        assertEquals(0, rig.second.volume().statistics().usedBytes());
    }

    @Test
    void anAppendDuringAMoveWinsAndTheLongerBlockIsMovedWhenItIsFinished() throws TatamiException {
        BlockId block = draining();
        BlockWriter[] writer = new BlockWriter[1];
        at(
                "volume.transfer.after-flush",
                () -> writer[0] = rig.first.volume().reopen(block, NINE, LENGTH, LENGTH + 10));

        rig.moves().moveAll();
        rig.moves().moveAll();

        assertTrue(rig.second.volume().find(block).isEmpty());
        assertTrue(
                status(0).getDrainWaitsFor().contains("being written"),
                status(0).toString());
        assertEquals(block.value(), status(0).getWaitingBlock(0).getBlockId());
        writer[0].append(ByteBuffer.wrap(new byte[10]), null);
        assertEquals(LENGTH + 10, writer[0].finish());
        rig.moves().moveAll();
        assertEquals(LENGTH + 10, on(rig.second.volume(), block).durableBytes());
        assertEquals(NINE, on(rig.second.volume(), block).generation());
        assertTrue(rig.first.volume().find(block).isEmpty());
        assertEquals("", status(0).getDrainWaitsFor());
    }

    @Test
    void aBlockIsFoundInItsNewPlaceBeforeItHasLeftTheOldOne() throws TatamiException {
        BlockId block = draining();
        at("volume.transfer.before-leave", () -> {
            assertEquals(2, rig.volumes().findAll(block).size());
            VolumeSet.Found found = rig.volumes().find(block).orElseThrow();
            assertEquals(rig.second.volume(), found.volume());
            TatamiException gone = new TatamiException(ErrorCode.NO_SUCH_BLOCK, "gone");
            assertTrue(rig.volumes().hasLeft(block, rig.first.volume(), gone));
            assertFalse(rig.volumes().hasLeft(block, rig.second.volume(), gone));
        });

        rig.moves().moveAll();

        rig.requireOneCopyOfEach("moved");
    }

    @Test
    void aBlockThatIsComingIsNotBegunThere() throws TatamiException {
        BlockId block = draining();
        ErrorCode[] refusal = new ErrorCode[1];
        at("volume.transfer.after-unit", () -> {
            try {
                rig.second.volume().create(block, NINE, LENGTH, false).close();
            } catch (TatamiException e) {
                refusal[0] = e.code();
            }
        });

        rig.moves().moveAll();

        assertEquals(ErrorCode.ALREADY_EXISTS, refusal[0]);
        assertEquals(Generation.FIRST, on(rig.second.volume(), block).generation());
        rig.compare("moved");
    }

    /** The one that begins it is between its record and its return while the block arrives. */
    @Test
    void aBlockThatArrivesWhileItIsBegunThereIsThereOnce() throws Exception {
        BlockId block = draining();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(1);
        FutureTask<BlockWriter> beginning = new FutureTask<>(() -> {
            try {
                return rig.second.volume().create(block, NINE, LENGTH, false);
            } finally {
                begun.countDown();
            }
        });
        CrashPoint.listen(name -> {
            if (name.equals("volume.transfer.after-arrive")) {
                Threads.daemon(beginning, "beginning").start();
                await(begun);
            } else if (name.equals("volume.create.begun")) {
                begun.countDown();
                await(arrived);
            }
        });

        rig.moves().moveAll();
        arrived.countDown();

        ExecutionException refused = assertThrows(ExecutionException.class, beginning::get);
        TatamiException reason = assertInstanceOf(TatamiException.class, refused.getCause());
        assertEquals(ErrorCode.ALREADY_EXISTS, reason.code());
        rig.compare("arrived");
        rig.requireOneCopyOfEach("arrived");
        rig.crash();
        rig.compare("opened again");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aVolumeThatIsClosedWhileABlockComesDoesNotGetTheLastCopy() throws TatamiException {
        BlockId block = draining();
        at("volume.transfer.before-arrive", () -> rig.second.volume().closeToNew(true));

        rig.moves().moveAll();

        assertTrue(rig.first.volume().has(block));
        rig.compare("closed meanwhile");
    }

    @Test
    void nothingMoreIsMovedFromAVolumeThatIsTakenOutBetweenTwoTransfers() throws TatamiException {
        BlockId moved = rig.write(LENGTH, 3, false);
        BlockId empty = rig.write(0, 0, false);
        rig.drain();
        at(
                "volume.transfer.after-release",
                () -> rig.volumes().remove(rig.volumes().volumes().get(0)));

        rig.moves().moveAll();

        assertTrue(rig.second.volume().has(moved));
        assertTrue(rig.first.volume().has(empty));
        assertFalse(rig.second.volume().has(empty), "nobody waits for a transfer that begins after the removal");
    }

    @Test
    void aVolumeThatIsClosedToNewBlocksTakesNone() throws TatamiException {
        rig.second.volume().closeToNew(true);
        BlockId block = new BlockId(99);
        ErrorCode refusal = ErrorCode.INTERNAL;
        try {
            rig.second.volume().create(block, NINE, LENGTH, false).close();
        } catch (TatamiException e) {
            refusal = e.code();
        }
        assertEquals(ErrorCode.NO_SPACE, refusal);
        assertEquals(0, rig.second.volume().statistics().usedBytes());
    }

    /** Has both volumes have a block, as after a crash. */
    private BlockId onBoth() throws TatamiException {
        BlockId block = draining();
        CrashPoint.listen(name -> {
            if (name.equals("volume.transfer.after-arrive")) {
                throw new Halt();
            }
        });
        try {
            rig.moves().moveAll();
        } catch (Halt halt) {
            assertFalse(rig.first.volume().find(block).isEmpty());
        }
        CrashPoint.listen(null);
        rig.crash();
        assertEquals(2, rig.volumes().findAll(block).size());
        return block;
    }

    @Test
    void ofEqualCopiesThatOnAVolumeWhichTakesBlocksIsKept() throws TatamiException {
        BlockId block = onBoth();

        rig.moves().moveAll();

        assertTrue(rig.first.volume().find(block).isEmpty());
        rig.compare("settled");
    }

    @Test
    void ofEqualCopiesThatOnAVolumeWhichStoppedTakingWritesIsNotTheOneKept() throws TatamiException {
        BlockId block = onBoth();
        rig.drainNoMore();
        rig.second.store().setFull(true);
        BlockWriter writer = rig.second.volume().create(new BlockId(99), NINE, 10, false);
        writer.append(ByteBuffer.wrap(new byte[10]), null);
        assertThrows(TatamiException.class, writer::sync);
        assertTrue(rig.second.volume().isReadable());
        assertTrue(MoveTargets.fullness(rig.second.volume()) < MoveTargets.fullness(rig.first.volume()));

        rig.moves().moveAll();

        assertTrue(rig.first.volume().has(block), "the copy on a volume that works was dropped");
    }

    @Test
    void ofCopiesThatDifferTheNewerIsKeptOnceItIsFinished() throws TatamiException {
        BlockId block = onBoth();
        BlockWriter writer = rig.first.volume().reopen(block, NINE, LENGTH, LENGTH);

        rig.moves().moveAll();

        assertEquals(2, rig.volumes().findAll(block).size(), "the copy that is written may yet be the worse");
        assertEquals(LENGTH, writer.finish());
        rig.moves().added();
        rig.moves().moveAll();
        assertEquals(1, rig.volumes().findAll(block).size());
        assertEquals(NINE, on(rig.second.volume(), block).generation(), "the newer one, which was moved then");
    }

    @Test
    void aPromiseOfTheCopyThatIsDroppedIsKept() throws TatamiException {
        BlockId block = onBoth();
        assertTrue(rig.first.volume().fence(block, NINE));

        rig.moves().moveAll();

        assertTrue(rig.first.volume().find(block).isEmpty());
        assertEquals(NINE, on(rig.second.volume(), block).promised());
    }

    @Test
    void aCopyWithAnotherNumberIsLeftToTheShard() throws TatamiException {
        BlockId block = rig.write(LENGTH, 3, false);
        BlockWriter writer = rig.second.volume().create(block, NINE, LENGTH, false);
        long unused = writer.finish();

        rig.moves().moveAll();

        assertEquals(2, rig.volumes().findAll(block).size());
    }

    @Test
    void ofEqualCopiesADamagedOneIsDroppedAndTheSoundOneMoved() throws TatamiException {
        BlockId block = onBoth();
        MoveRig.damage(rig.second, block);

        rig.moves().moveAll();

        rig.compare("settled");
        rig.requireOneCopyOfEach("settled");
        assertTrue(rig.second.volume().has(block));
    }

    @Test
    void aDamagedBlockStaysWhereItIsAndIsToldToTheShard() throws TatamiException {
        BlockId block = draining();
        List<StoredBlock> told = new ArrayList<>();
        rig.first.volume().onDamagedCopy(told::add);
        MoveRig.damage(rig.first, block);

        rig.moves().moveAll();

        assertTrue(on(rig.first.volume(), block).damaged());
        assertEquals(1, told.size());
        assertTrue(rig.second.volume().find(block).isEmpty());
        assertTrue(
                status(0).getDrainWaitsFor().contains("it is damaged"),
                status(0).toString());
        assertEquals(0, rig.second.volume().statistics().usedBytes());
    }

    @Test
    void whatDiffersByLessThanTheLimitStaysAndWhatDiffersByMoreIsMovedToHalfOfIt() throws TatamiException {
        rig.fill(0.09);
        rig.moves().moveAll();
        assertEquals(0, rig.second.volume().statistics().blocks());

        rig.fill(0.30);
        rig.moves().moveAll();

        double difference = MoveTargets.fullness(rig.first.volume()) - MoveTargets.fullness(rig.second.volume());
        assertTrue(difference >= 0 && difference < 0.08, difference + " are left");
        rig.compare("about equal");
        rig.requireOneCopyOfEach("about equal");
    }

    @Test
    void withoutRoomElsewhereADrainTellsTheRemedy() throws TatamiException {
        rig.second.volume().closeToNew(true);
        BlockId block = draining();

        rig.moves().moveAll();

        assertTrue(rig.first.volume().has(block));
        assertTrue(
                status(0).getDrainWaitsFor().contains("'tatami admin volume add'"),
                status(0).toString());
    }

    private VolumeStatus status(int place) {
        BlockServerStatusReply.Builder reply = BlockServerStatusReply.newBuilder();
        rig.volumes()
                .volumes()
                .forEach(served -> reply.addVolumeBuilder()
                        .setVolumeId(served.volume().id().toString()));
        rig.moves().addTo(reply);
        return reply.getVolume(place);
    }

    /** Between two transfers a pass reads any volume. */
    @Test
    void aCloseAwaitsThePassThatIsUnderWay() throws Exception {
        VolumeMoves moves = rig.moves();
        List<Runnable> begun = new ArrayList<>();
        moves.look(begun::add);
        assertTrue(moves.awaitEnd(rig.first.volume(), 0));
        moves.close();
        assertFalse(moves.awaitEnd(rig.first.volume(), 0));
        begun.forEach(Runnable::run);
        assertTrue(moves.awaitEnd(rig.first.volume(), 0));
    }
}
