package io.tatami.meta.op.write;

import static io.tatami.meta.op.file.FileShard.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.lease.BeginRecovery;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.wire.BeginSealReply;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.FinishSealRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.SealBlockReply;
import io.tatami.protocol.wire.SealBlockRequest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A block whose chain failed ends at what its servers have, while its writer goes on in another one. */
final class SealBlockTest {
    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;
    private List<Grant> grants = List.of();

    @BeforeEach
    void createWithTwoCopiesAndThreeBlocks() throws Exception {
        CreateReply created = shard.run(
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation("a").setReplication(2).setGrants(3).build());
        file = new FileId(created.getStatus().getId());
        grants = created.getGrantList();
    }

    private SealBlockRequest.Builder seal(int index, long acknowledged) {
        return SealBlockRequest.newBuilder()
                .setFileId(file.value())
                .setBlockId(grants.get(index).getBlockId())
                .setGeneration(1)
                .setAcknowledgedLength(acknowledged);
    }

    private BeginSealReply begin(SealBlockRequest.Builder request) throws Exception {
        return shard.run(new BeginSeal(), request.build());
    }

    private FinishSealRequest found(RecoveringBlock block, long length, int... servers) {
        RecoveredBlock.Builder recovered = RecoveredBlock.newBuilder()
                .setBlockId(block.getBlockId())
                .setGeneration(block.getNewGeneration())
                .setLength(length);
        for (int server : servers) {
            recovered.addServerId(server);
        }
        return FinishSealRequest.newBuilder()
                .setFileId(file.value())
                .setBlock(recovered)
                .build();
    }

    private BlockRecord record(int index) {
        HomedFile homed = HomedFile.find(shard.state(), file);
        assertNotNull(homed);
        return homed.requireBlock(index);
    }

    @Test
    void sealedBlockIsFinalWithTheServersThatAdoptedItAndTheOthersAsSpares() throws Exception {
        RecoveringBlock asked = begin(seal(0, 5)).getBlock();
        assertEquals(2, asked.getNewGeneration());
        assertEquals(5, asked.getAcknowledgedLength());
        assertEquals(2, asked.getServerIdCount());
        assertTrue(record(0).getOpen());
        SealBlockReply reply = shard.run(new FinishSeal(), found(asked, 7, 2));
        BlockReport sealed = BlockReport.newBuilder()
                .setBlockId(asked.getBlockId())
                .setGeneration(2)
                .setLength(7)
                .build();
        assertEquals(sealed, reply.getBlock());
        assertEquals(List.of(2), reply.getServerIdList());
        assertFalse(record(0).getOpen());
        assertEquals(List.of(new Copy(new ServerId(2), 0)), BlockCopies.counted(record(0)));
        assertEquals(List.of(new Copy(new ServerId(1), 0)), BlockCopies.spares(record(0)));
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(new BlockId(asked.getBlockId())));
        assertNull(shard.state().reclaim(1), "the shorter copy is deleted while it may be the last one");
        assertEquals(7, shard.home(file).getLength(), "blocks that were granted behind it hide its bytes");
    }

    @Test
    void writerGoesOnBehindASealedBlockAndTheFileHasBoth() throws Exception {
        shard.run(new FinishSeal(), found(begin(seal(0, 5)).getBlock(), 7, 1, 2));
        BeginSealReply second = begin(seal(1, 3));
        shard.run(new FinishSeal(), found(second.getBlock(), 3, 1));
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(grants.get(2), 10)));
        assertEquals(20, shard.open("a").getLength());
        assertEquals(3, shard.open("a").getBlockCount());
        assertFalse(shard.open("a").getOpen());
    }

    @Test
    void sealIsToldAgainWhenItsAnswerWasLost() throws Exception {
        SealBlockReply first =
                shard.run(new FinishSeal(), found(begin(seal(0, 5)).getBlock(), 7, 2));
        assertEquals(first, begin(seal(0, 5)).getSealed());
        assertEquals(2, record(0).getIssuedGeneration(), "a repeated seal fences the servers again");
    }

    @Test
    void onlyTheNewestOfTwoSealsCounts() throws Exception {
        RecoveringBlock first = begin(seal(0, 5)).getBlock();
        RecoveringBlock second = begin(seal(0, 5)).getBlock();
        assertEquals(3, second.getNewGeneration());
        assertEquals(ErrorCode.UNAVAILABLE, shard.refusal(new FinishSeal(), found(first, 5, 1)));
        SealBlockReply sealed = shard.run(new FinishSeal(), found(second, 6, 2));
        assertEquals(sealed, shard.run(new FinishSeal(), found(first, 5, 1)), "the older one changes what was sealed");
        assertEquals(6, record(0).getLength());
    }

    @Test
    void sealBesideARecoveryOfTheFileIsRefused() throws Exception {
        RecoveringBlock asked = begin(seal(0, 5)).getBlock();
        shard.run(
                new BeginRecovery(),
                RecoverFileRequest.newBuilder().setFileId(file.value()).build());
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(new FinishSeal(), found(asked, 5, 1)));
        assertEquals(
                ErrorCode.LEASE_EXPIRED,
                shard.refusal(new BeginSeal(), seal(0, 5).build()));
        assertTrue(record(0).getOpen());
    }

    @Test
    void bytesThatWereCommittedMeanwhileAreNotSealedAway() throws Exception {
        RecoveringBlock asked = begin(seal(0, 5)).getBlock();
        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(report(grants.get(0), 8))
                        .build());
        assertEquals(ErrorCode.UNAVAILABLE, shard.refusal(new FinishSeal(), found(asked, 7, 1)));
        assertEquals(8, begin(seal(0, 5)).getBlock().getCommittedLength());
    }

    @Test
    void blockWithNothingAcknowledgedIsNotSealed() throws Exception {
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(new BeginSeal(), seal(0, 0).build()));
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(new BeginSeal(), seal(0, FileShard.BLOCK_SIZE + 1).build()));
        assertEquals(1, record(0).getIssuedGeneration());
    }

    @Test
    void generationThatIsNotTheWritersIsFenced() throws Exception {
        assertEquals(
                ErrorCode.FENCED,
                shard.refusal(new BeginSeal(), seal(0, 5).setGeneration(2).build()));
        assertEquals(
                ErrorCode.FENCED,
                shard.refusal(new BeginSeal(), seal(0, 5).setBlockId(77_777).build()));
    }

    @Test
    void earlierBlockIsReportedWithTheSealOrItIsRefused() throws Exception {
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(new BeginSeal(), seal(1, 5).build()));
        BeginSealReply begun = begin(seal(1, 5).addWritten(report(grants.get(0), 1_000)));
        assertFalse(record(0).getOpen());
        shard.run(new FinishSeal(), found(begun.getBlock(), 5, 1, 2));
        assertEquals(1_005, shard.home(file).getLength());
    }

    @Test
    void copiesThatAreBeingMadeAreVoidFromTheIssueOn() throws Exception {
        BlockRecord.Builder changed = record(0).toBuilder();
        Copy intended = BlockCopies.of(changed).intend(new ServerId(9));
        shard.change(state -> {
            HomedFile homed = HomedFile.find(state, file);
            assertNotNull(homed);
            homed.changeBlock(0, changed.build());
            homed.save();
        });
        begin(seal(0, 5));
        assertEquals(List.of(), BlockCopies.intended(record(0)));
        ReclaimRecord reclaim = shard.state().reclaim(1);
        assertNotNull(reclaim);
        assertEquals(List.of(intended), BlockCopies.reclaimed(reclaim));
    }

    @Test
    void smallFileKeepsItsContentUntilSealedBlocksHoldAllOfIt() throws Exception {
        FileId small = shard.inline("b", "hello");
        long opening = shard.append("b").getRecoveryId();
        Grant grant = shard.run(
                        new AddBlocks(),
                        AddBlocksRequest.newBuilder()
                                .setFileId(small.value())
                                .setRecoveryId(opening)
                                .setGrants(1)
                                .build())
                .getGrant(0);
        file = small;
        grants = List.of(grant);
        RecoveringBlock asked = begin(seal(0, 3).setRecoveryId(opening)).getBlock();
        shard.run(
                new FinishSeal(),
                found(asked, 3, grant.getServerId(0)).toBuilder()
                        .setRecoveryId(opening)
                        .build());
        assertTrue(shard.home(small).getContentInline());
        assertEquals(5, shard.home(small).getLength());
        assertFalse(record(0).getOpen());
    }
}
