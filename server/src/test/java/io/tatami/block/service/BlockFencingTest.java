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
import io.tatami.block.device.SimFaults;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockTransfer;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.space.Reservation;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import io.tatami.protocol.wire.UnknownCopy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Fences, finalizations and deletions by number, as a server with two volumes answers them. */
final class BlockFencingTest {
    private static final int LENGTH = 1_000;
    private static final int MIB = 1 << 20;
    private static final BlockId BLOCK = BlockRig.block(1);
    private static final VolumeSet.FailedVolume GONE = new VolumeSet.FailedVolume("/dev/gone", null, "no such device");

    @TempDir
    private Path directory;

    private SimVolume other;
    private BlockRig rig;

    @BeforeEach
    void begin() throws Exception {
        other = new SimVolume(8 << 20, 1);
        rig = new BlockRig(directory, 1, BlockRig.settings(), BlockRig.VOLUME_BYTES, number -> List.of(other.volume()));
    }

    @AfterEach
    void end() throws Exception {
        CrashPoint.listen(null);
        rig.close();
        other.close();
    }

    private Volume own() {
        return rig.server(0).running().volume();
    }

    private FenceBlockReply fence(long generation) throws Exception {
        FenceBlockRequest request = FenceBlockRequest.newBuilder()
                .setBlockId(BLOCK.value())
                .setGeneration(generation)
                .build();
        return rig.connect(0).callAndWait(BlockMethods.FENCE_BLOCK, BlockRig.AS_METADATA, request);
    }

    private void finalizeAt(long generation, long length) throws Exception {
        FinalizeBlockRequest request = FinalizeBlockRequest.newBuilder()
                .setBlockId(BLOCK.value())
                .setGeneration(generation)
                .setLength(length)
                .build();
        FinalizeBlockReply unused =
                rig.connect(0).callAndWait(BlockMethods.FINALIZE_BLOCK, BlockRig.AS_METADATA, request);
    }

    private static DeleteBlocksRequest.Item.Builder copy(int number, long generation) {
        return DeleteBlocksRequest.Item.newBuilder()
                .setBlockId(BLOCK.value())
                .setCopyNumber(number)
                .setGeneration(generation);
    }

    private List<Long> delete(DeleteBlocksRequest.Item.Builder... items) throws Exception {
        DeleteBlocksRequest.Builder request = DeleteBlocksRequest.newBuilder();
        Arrays.stream(items).forEach(request::addItem);
        return rig.connect(0)
                .callAndWait(BlockMethods.DELETE_BLOCKS, BlockRig.AS_METADATA, request.build())
                .getDeletedBlockIdList();
    }

    private static void refused(ErrorCode code, Executable call) {
        TatamiException failure = assertThrows(TatamiException.class, call);
        assertEquals(code, failure.code(), failure.toString());
    }

    private static void write(Volume volume, long generation, int copyNumber) throws TatamiException {
        Reservation room = new Reservation(LENGTH, 1, true);
        try (BlockWriter writer = volume.create(BLOCK, Generation.of(generation), room, copyNumber)) {
            writer.append(ByteBuffer.wrap(BlockRig.bytes(generation, LENGTH)), null);
            long length = writer.finish();
            assertEquals(LENGTH, length);
        }
    }

    private BlockWriteStream open(long generation) throws TatamiException {
        return rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.of(generation), MIB));
    }

    private void begin(long generation) throws TatamiException {
        try (BlockWriteStream stream = open(generation)) {
            BlockRig.write(stream, BlockRig.bytes(1, LENGTH));
            stream.hsync();
        }
    }

    @Test
    void fenceEndsTheWriterKeepsItsBytesAndHoldsAfterARestart() throws Exception {
        byte[] bytes = BlockRig.bytes(1, 2 * MIB + 77);
        try (BlockWriteStream stream =
                rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, 4 * MIB))) {
            BlockRig.write(stream, bytes);
            stream.hflush();
            for (int time = 0; time < 2; time++) {
                FenceBlockReply told = fence(3);
                assertFalse(told.getAbsent());
                assertEquals(1, told.getGeneration());
                assertEquals(bytes.length, told.getHeldLength());
                assertFalse(told.getFinalized());
                assertTrue(told.getAssured());
            }
            refused(ErrorCode.FENCED, () -> {
                BlockRig.write(stream, bytes);
                stream.hflush();
            });
        }
        rig.server(0).restart();
        assertEquals(bytes.length, fence(3).getHeldLength());
        refused(ErrorCode.FENCED, () -> fence(2));
        refused(ErrorCode.FENCED, () -> finalizeAt(2, 10));
        refused(ErrorCode.INVALID_ARGUMENT, () -> finalizeAt(3, bytes.length + 1));
        finalizeAt(3, MIB);
        finalizeAt(3, MIB);
        refused(ErrorCode.INVALID_ARGUMENT, () -> finalizeAt(3, MIB - 1));
        BlockInfoReply info = rig.client.blockInfo(rig.target(0), BLOCK);
        assertTrue(info.getFinalized());
        assertEquals(3, info.getGeneration());
        assertArrayEquals(Arrays.copyOf(bytes, MIB), rig.read(0, BLOCK, 0, MIB));
    }

    @Test
    void copyWhoseHostWasBootedWhileItWasWrittenIsNotAssured() throws Exception {
        begin(1);
        assertTrue(fence(2).getAssured());
        rig.server(0).stop();
        rig.server(0).forgetFlushed();
        rig.server(0).start();
        FenceBlockReply told = fence(2);
        assertFalse(told.getAssured());
        assertEquals(LENGTH, told.getDurableLength());
        finalizeAt(2, LENGTH);
        assertTrue(fence(3).getAssured(), "its length is decided");
    }

    @Test
    void fencedBlockThatIsAbsentIsBegunUnderTheGenerationAndNotBelow() throws Exception {
        assertTrue(fence(3).getAbsent());
        refused(ErrorCode.FENCED, () -> begin(2));
        assertTrue(own().find(BLOCK).isEmpty());
        begin(3);
        assertEquals(3, fence(4).getGeneration());
    }

    @Test
    void openingBesideAFenceIsFoundOrRefused() throws Exception {
        AtomicReference<FenceBlockReply> told = new AtomicReference<>();
        // After the block can be found, and before the opener looks for tombstones again.
        CrashPoint.listen(name -> {
            if (name.equals("service.write.after-create")) {
                CrashPoint.listen(null);
                try {
                    told.set(fence(2));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        refused(ErrorCode.FENCED, () -> begin(1));
        assertFalse(Objects.requireNonNull(told.get()).getAbsent());
        assertEquals(
                Generation.of(2), own().find(BLOCK).map(StoredBlock::promised).orElse(Generation.of(2)));
        refused(ErrorCode.FENCED, () -> begin(1));
    }

    @Test
    void fenceOfWhatAVolumeMayHaveThatDoesNotServeIsRefused() throws Exception {
        BlockWriter another = other.volume().create(BlockRig.block(2), Generation.FIRST, LENGTH, true);
        another.append(ByteBuffer.wrap(BlockRig.bytes(1, LENGTH)), null);
        other.faults().arm(0, SimFaults.Fault.IO_ERROR);
        assertThrows(TatamiException.class, another::finish);
        refused(ErrorCode.IO_ERROR, () -> fence(2));
        write(own(), 1, 0);
        assertEquals(1, fence(2).getGeneration(), "what is found is fenced");
    }

    @Test
    void fenceOfWhatAVolumeMayHaveThatWasNotOpenedIsRefused() throws Exception {
        rig.server(0).missing = List.of(GONE);
        rig.server(0).restart();
        refused(ErrorCode.IO_ERROR, () -> fence(2));
    }

    @Test
    void ofTwoCopiesBothAreFencedAndTheOneThatCountsIsTold() throws Exception {
        write(own(), 1, 0);
        write(other.volume(), 2, 0);
        assertEquals(2, fence(3).getGeneration());
        for (Volume volume : List.of(own(), other.volume())) {
            assertEquals(Generation.of(3), volume.find(BLOCK).orElseThrow().promised());
        }
        finalizeAt(3, LENGTH - 1);
        assertEquals(Generation.of(3), other.volume().find(BLOCK).orElseThrow().generation());
        assertEquals(Generation.FIRST, own().find(BLOCK).orElseThrow().generation());
    }

    @Test
    void deletionByNumberLeavesOtherCopiesAndCountsThemAsGone() throws Exception {
        write(own(), 2, 7);
        assertEquals(7, fence(2).getCopyNumber());
        assertEquals(List.of(BLOCK.value()), delete(copy(0, 9)));
        assertEquals(List.of(BLOCK.value()), delete(copy(6, 9)));
        assertEquals(7, own().find(BLOCK).orElseThrow().copyNumber());
        assertEquals(List.of(BLOCK.value()), delete(copy(6, 9), copy(7, 1)));
        assertTrue(own().find(BLOCK).isEmpty());
    }

    @Test
    void copyAboveTheGenerationOfADeletionStaysAndCountsAsGone() throws Exception {
        write(own(), 2, 0);
        write(other.volume(), 2, 7);
        assertEquals(List.of(BLOCK.value()), delete(copy(7, 1), copy(0, 1)));
        assertTrue(other.volume().find(BLOCK).isEmpty());
        assertEquals(0, own().find(BLOCK).orElseThrow().copyNumber());
    }

    @Test
    void auditTellsACopyWithAnotherNumberByItAndMissesTheOneThatWasAskedFor() throws Exception {
        write(own(), 2, 7);
        AuditReply wrong = audit(0, false);
        assertEquals(List.of(BLOCK.value()), wrong.getMissingBlockIdList());
        assertEquals(List.of(), wrong.getUnknownBlockIdList());
        UnknownCopy unknown = UnknownCopy.newBuilder()
                .setBlockId(BLOCK.value())
                .setCopyNumber(7)
                .build();
        assertEquals(List.of(unknown), wrong.getUnknownCopyList());
        AuditReply intended = audit(8, true);
        assertEquals(List.of(), intended.getMissingBlockIdList());
        assertEquals(List.of(unknown), intended.getUnknownCopyList());
        AuditReply right = audit(7, false);
        assertEquals(List.of(), right.getMissingBlockIdList());
        assertEquals(List.of(), right.getUnknownCopyList());
        AuditReply none = rig.connect(0)
                .callAndWait(
                        BlockMethods.AUDIT,
                        BlockRig.AS_METADATA,
                        audited().clearItem().build());
        assertEquals(List.of(unknown), none.getUnknownCopyList());
        assertEquals(List.of(), none.getUnknownBlockIdList());
    }

    private AuditReply audit(int copyNumber, boolean intended) throws Exception {
        AuditRequest.Item.Builder item = AuditRequest.Item.newBuilder()
                .setBlockId(BLOCK.value())
                .setGeneration(2)
                .setLength(LENGTH)
                .setCopyNumber(copyNumber)
                .setIntended(intended);
        return rig.connect(0)
                .callAndWait(
                        BlockMethods.AUDIT,
                        BlockRig.AS_METADATA,
                        audited().addItem(item).build());
    }

    private static AuditRequest.Builder audited() {
        return AuditRequest.newBuilder()
                .setGroup(3)
                .setRound(1)
                .setUpToBlockId(BlockRig.block(100).value());
    }

    @Test
    void whatIsNoCopyNumberOrLengthIsMalformed() throws Exception {
        write(own(), 1, 0);
        refused(ErrorCode.MALFORMED, () -> delete(copy(-1, 1)));
        refused(ErrorCode.MALFORMED, () -> finalizeAt(2, -1));
        refused(ErrorCode.MALFORMED, () -> fence(-1));
    }

    /** A call that waits for a block while it goes to the other volume. */
    private <T> T whileItMoves(String waitsIn, Callable<T> call) throws Exception {
        BlockWriter writer = own().create(BLOCK, Generation.FIRST, new Reservation(LENGTH, LENGTH, true));
        writer.append(ByteBuffer.wrap(new byte[LENGTH]), null);
        assertEquals(LENGTH, writer.finish());
        VolumeSet volumes = new VolumeSet(List.of());
        CountDownLatch moving = new CountDownLatch(1);
        CrashPoint.listen(point -> {
            if (point.equals("volume.transfer.before-arrive")) {
                moving.countDown();
                while (Thread.getAllStackTraces().values().stream().noneMatch(stack -> isIn(stack, waitsIn))) {
                    Thread.onSpinWait();
                }
            }
        });
        ExecutorService mover = Executors.newSingleThreadExecutor();
        try {
            Future<Map<BlockId, BlockTransfer.Result>> moved = mover.submit(
                    () -> own().transferTo(other.volume(), new AtOnce(volumes)).move(List.of(BLOCK)));
            moving.await();
            T answer = call.call();
            assertEquals(Map.of(BLOCK, BlockTransfer.Result.MOVED), moved.get());
            return answer;
        } finally {
            mover.shutdown();
        }
    }

    /** Whether a thread waits in a method of a volume for the right to change a block. */
    private static boolean isIn(StackTraceElement[] stack, String method) {
        List<StackTraceElement> frames = List.of(stack);
        return frames.stream()
                        .anyMatch(frame -> frame.getClassName().equals(Volume.class.getName())
                                && frame.getMethodName().equals(method))
                && frames.stream().anyMatch(frame -> frame.getClassName().endsWith("LockSupport"));
    }

    /** A transfer without a limit. */
    private record AtOnce(VolumeSet volumes) implements BlockTransfer.Listener {
        @Override
        public boolean mayGoOn() {
            return true;
        }

        @Override
        public void copied(int bytes) {}

        @Override
        public void arrived() {
            volumes.moved();
        }
    }

    @Test
    void aFenceThatWaitsForABlockWhichGoesToAnotherVolumeHoldsThere() throws Exception {
        FenceBlockReply reply = whileItMoves("fence", () -> fence(5));

        assertFalse(reply.getAbsent());
        assertTrue(reply.getFinalized());
        assertEquals(LENGTH, reply.getDurableLength());
        assertEquals(Generation.of(5), other.volume().find(BLOCK).orElseThrow().promised());
        assertTrue(own().find(BLOCK).isEmpty());
    }

    @Test
    void aFinalizationThatWaitsForABlockWhichGoesToAnotherVolumeIsDoneThere() throws Exception {
        Boolean unused = whileItMoves("finalizeAt", () -> {
            finalizeAt(5, LENGTH - 1);
            return true;
        });

        StoredBlock stored = other.volume().find(BLOCK).orElseThrow();
        assertEquals(Generation.of(5), stored.generation());
        assertEquals(LENGTH - 1, stored.durableBytes());
    }

    @Test
    void aDeletionThatWaitsForABlockWhichGoesToAnotherVolumeIsNotAnsweredBeforeItIsGone() throws Exception {
        List<Long> gone = whileItMoves("delete", () -> delete(copy(0, 5)));

        assertEquals(List.of(), gone);
        assertTrue(other.volume().has(BLOCK));
        assertEquals(List.of(BLOCK.value()), delete(copy(0, 5)));
        assertTrue(other.volume().find(BLOCK).isEmpty());
    }
}
