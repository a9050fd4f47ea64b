package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.AuditedVolume;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a volume that did not open, or with one that stops: what is not found is not gone. */
final class UnavailableVolumeTest {
    private static final int LENGTH = 1_000;
    private static final BlockId SOUND = BlockRig.block(1);
    private static final BlockId OTHER = BlockRig.block(2);
    private static final BlockId ABSENT = BlockRig.block(50);
    private static final VolumeSet.FailedVolume GONE = new VolumeSet.FailedVolume("/dev/gone", null, "no such device");

    @TempDir
    private Path directory;

    private SimVolume other;
    private BlockRig rig;

    @BeforeEach
    void begin() throws Exception {
        other = new SimVolume(8 << 20, 1);
        rig = new BlockRig(
                directory,
                1,
                BlockRig.settings("tatami.block.heartbeat", "10ms"),
                BlockRig.VOLUME_BYTES,
                number -> List.of(other.volume()));
        write(rig.server(0).running().volume(), SOUND, 1);
        write(other.volume(), OTHER, 1);
    }

    @AfterEach
    void end() throws Exception {
        rig.close();
        other.close();
    }

    @Test
    void aDeletionOfWhatIsNotFoundIsConfirmedOnlyWhereEveryVolumeIsOpen() throws Exception {
        restartWithout();
        assertEquals(List.of(SOUND.value()), delete(SOUND, ABSENT));
        rig.server(0).missing = List.of();
        rig.server(0).restart();
        assertEquals(List.of(ABSENT.value()), delete(ABSENT));
    }

    @Test
    void aDeletionOfWhatIsNotFoundIsNotConfirmedOnceAVolumeHasStopped() throws Exception {
        stopOther();
        assertEquals(List.of(SOUND.value()), delete(SOUND, OTHER, ABSENT));
    }

    @Test
    void aRecoveryOfABlockThatAMissingVolumeMayHaveIsRefused() throws Exception {
        restartWithout();
        requireUnavailable(assertThrows(TatamiException.class, () -> RecoveryCalls.fence(rig.connect(0), ABSENT, 2)));
    }

    @Test
    void theLengthOfABlockThatAMissingVolumeMayHaveIsNotToldToBeNone() throws Exception {
        restartWithout();
        requireUnavailable(assertThrows(TatamiException.class, () -> rig.client.blockInfo(rig.target(0), ABSENT)));
        requireUnavailable(assertThrows(TatamiException.class, () -> rig.read(0, ABSENT, 0, LENGTH)));
    }

    @Test
    void aBlockThatAMissingVolumeMayHaveIsNotContinued() throws Exception {
        restartWithout();
        requireUnavailable(assertThrows(TatamiException.class, () -> {
            WriteSpec spec =
                    new WriteSpec(ABSENT, Generation.of(2), 1 << 20, LENGTH, false, LENGTH, Generation.FIRST, 0);
            try (BlockWriteStream stream = rig.client.openWriter(rig.chain(), spec)) {
                BlockRig.write(stream, bytes(2));
                stream.finish();
            }
        }));
    }

    @Test
    void anAuditTellsWhatAMissingVolumeMayHaveAndJudgesTheRest() throws Exception {
        write(rig.server(0).running().volume(), BlockRig.block(3), 1);
        write(rig.server(0).running().volume(), BlockRig.block(4), 1);
        restartWithout();
        AuditReply reply = audit(item(SOUND, 1), item(BlockRig.block(3), 2), item(ABSENT, 1), granted(51));
        assertEquals(List.of(), reply.getMissingBlockIdList());
        assertEquals(List.of(ABSENT.value()), reply.getUnavailableBlockIdList());
        assertEquals(List.of(BlockRig.block(3).value()), reply.getDamagedBlockIdList());
        assertEquals(List.of(OTHER.value(), BlockRig.block(4).value()), sorted(reply.getUnknownBlockIdList()));
        AuditedVolume missing = reply.getVolume(2);
        assertEquals(AuditedVolume.State.NOT_OPENED, missing.getState());
        assertEquals("/dev/gone", missing.getPath());
        assertEquals("no such device", missing.getReason());
        assertEquals(AuditedVolume.State.SERVES, reply.getVolume(0).getState());
    }

    @Test
    void anAuditOfAServerWithAStoppedVolumeJudgesTheOthers() throws Exception {
        write(other.volume(), BlockRig.block(4), 1);
        stopOther();
        AuditReply reply = audit(item(SOUND, 2), item(OTHER, 1), item(ABSENT, 1));
        assertEquals(List.of(), reply.getMissingBlockIdList());
        assertEquals(List.of(OTHER.value(), ABSENT.value()), reply.getUnavailableBlockIdList());
        assertEquals(List.of(SOUND.value()), reply.getDamagedBlockIdList());
        assertEquals(List.of(), reply.getUnknownBlockIdList());
        assertEquals(AuditedVolume.State.STOPPED, reply.getVolume(1).getState());
        assertFalse(reply.getVolume(1).getReason().isEmpty());
    }

    @Test
    void ofTwoCopiesThatAVolumesReturnLeavesTheNewerOneCountsAndBothAreDeleted() throws Exception {
        write(other.volume(), SOUND, 2);
        write(rig.server(0).running().volume(), OTHER, 2);
        assertArrayEquals(bytes(2), rig.read(0, SOUND, 0, LENGTH));
        assertArrayEquals(bytes(2), rig.read(0, OTHER, 0, LENGTH));
        assertEquals(List.of(SOUND.value(), OTHER.value()), sorted(delete(SOUND, OTHER)));
        assertEquals(List.of(), other.volume().blocks());
        assertEquals(List.of(), rig.server(0).running().volume().blocks());
    }

    @Test
    void aBlockOfWhichOneCopyCannotBeDeletedIsNotGone() throws Exception {
        write(other.volume(), SOUND, 2);
        stopOther();
        assertEquals(List.of(), delete(SOUND));
    }

    @Test
    void aVolumeThatStopsOrIsGoneOrComesBackIsToldWithTheNextHeartbeat() throws Exception {
        NotedMetadata metadata = new NotedMetadata();
        long whole = volumesTold(metadata);
        assertNotEquals(0, whole);
        stopOther();
        BlockDamageTest.awaitTrue(() -> metadata.volumes.get() != whole);
        long stopped = metadata.volumes.get();

        restartWithout();
        long without = volumesTold(new NotedMetadata());
        assertNotEquals(whole, without);
        assertNotEquals(stopped, without);
    }

    @Test
    void theDigestOfVolumesTellsOfEachChangeAlsoWhereTheyAreTheSameAgain() {
        VolumeSet.ServedVolume first =
                new VolumeSet.ServedVolume(rig.server(0).running().volume(), "/first");
        VolumeSet.ServedVolume second = new VolumeSet.ServedVolume(other.volume(), "/second");
        VolumeSet volumes = new VolumeSet(List.of(first, second));
        long both = volumes.digest();
        assertEquals(both, new VolumeSet(List.of(second, first)).digest());
        volumes.remove(second);
        long one = volumes.digest();
        assertNotEquals(both, one);
        volumes.add(second);
        assertNotEquals(both, volumes.digest(), "what was written to it in between may be lost");
        assertNotEquals(one, new VolumeSet(List.of(first), List.of(GONE), Set.of()).digest());
        long before = volumes.digest();
        stopOther();
        assertNotEquals(before, volumes.digest());
    }

    /** By the first heartbeat of a server that joins. */
    private long volumesTold(NotedMetadata metadata) throws Exception {
        metadata.given.set(1);
        rig.server(0)
                .running()
                .server()
                .join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                .get(20, TimeUnit.SECONDS);
        return metadata.volumes.get();
    }

    private void restartWithout() throws Exception {
        rig.server(0).missing = List.of(GONE);
        rig.server(0).restart();
    }

    private void stopOther() {
        other.faults().arm(0, SimFaults.Fault.IO_ERROR);
        assertThrows(TatamiException.class, () -> other.volume().delete(OTHER, Generation.MAX));
        assertFalse(other.volume().isReadable());
    }

    private static void write(Volume volume, BlockId block, long generation) throws TatamiException {
        try (BlockWriter writer = volume.create(block, Generation.of(generation), LENGTH, true)) {
            writer.append(ByteBuffer.wrap(bytes(generation)), null);
            long length = writer.finish();
            assertEquals(LENGTH, length);
        }
    }

    private static byte[] bytes(long generation) {
        return BlockRig.bytes(generation, LENGTH);
    }

    private List<Long> delete(BlockId... blocks) throws Exception {
        DeleteBlocksRequest.Builder request = DeleteBlocksRequest.newBuilder();
        for (BlockId block : blocks) {
            request.addItem(DeleteBlocksRequest.Item.newBuilder()
                    .setBlockId(block.value())
                    .setGeneration(9));
        }
        return rig.connect(0)
                .callAndWait(BlockMethods.DELETE_BLOCKS, BlockRig.AS_METADATA, request.build())
                .getDeletedBlockIdList();
    }

    private AuditReply audit(AuditRequest.Item.Builder... items) throws Exception {
        AuditRequest.Builder request = AuditRequest.newBuilder()
                .setGroup(3)
                .setRound(1)
                .setUpToBlockId(BlockRig.block(100).value());
        for (AuditRequest.Item.Builder item : items) {
            request.addItem(item);
        }
        return rig.connect(0).callAndWait(BlockMethods.AUDIT, BlockRig.AS_METADATA, request.build());
    }

    private static AuditRequest.Item.Builder item(BlockId block, long generation) {
        return AuditRequest.Item.newBuilder()
                .setBlockId(block.value())
                .setGeneration(generation)
                .setLength(LENGTH);
    }

    private static AuditRequest.Item.Builder granted(int number) {
        return item(BlockRig.block(number), 1).setIntended(true);
    }

    private static void requireUnavailable(TatamiException failure) {
        assertEquals(ErrorCode.IO_ERROR, failure.code(), failure.toString());
        assertTrue(String.valueOf(failure.getMessage()).contains("/dev/gone (no such device)"), failure.toString());
    }

    private static List<Long> sorted(List<Long> blocks) {
        return blocks.stream().sorted().toList();
    }
}
