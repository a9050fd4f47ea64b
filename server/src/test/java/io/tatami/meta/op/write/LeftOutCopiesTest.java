package io.tatami.meta.op.write;

import static io.tatami.meta.op.file.FileShard.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.lease.BeginRecovery;
import io.tatami.meta.op.lease.FinishRecovery;
import io.tatami.meta.op.reclaim.ConfirmReclaim;
import io.tatami.meta.op.remove.DeleteFile;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.FinishRecoveryRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.RecoverFileReply;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.TruncateRequest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of copies that failed a writer, missed a recovery, or were being made when their block changed. */
final class LeftOutCopiesTest {
    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;
    private Grant grant = Grant.getDefaultInstance();

    @BeforeEach
    void createWithTwoCopies() throws Exception {
        CreateReply created = shard.run(
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation("a").setReplication(2).setGrants(1).build());
        file = new FileId(created.getStatus().getId());
        grant = created.getGrant(0);
        assertEquals(2, grant.getServerIdCount());
    }

    private BlockId block() {
        return new BlockId(grant.getBlockId());
    }

    private BlockRecord record() {
        HomedFile homed = HomedFile.find(shard.state(), file);
        assertNotNull(homed);
        return homed.requireBlock(0);
    }

    private ServerId server(int place) {
        return new ServerId(grant.getServerId(place));
    }

    /** The writer goes on without the server, and closes the file. */
    private void closeWithout(ServerId failed) throws Exception {
        RenewBlockRequest.Builder renewal = RenewBlockRequest.newBuilder()
                .setFileId(file.value())
                .setBlockId(block().value())
                .setGeneration(2)
                .addFailedServerId(failed.value());
        shard.run(new RenewBlock(), renewal.build());
        shard.run(new RenewBlock(), renewal.setCommitted(true).build());
        shard.complete(CompleteRequest.newBuilder()
                .setFileId(file.value())
                .addWritten(report(grant, 10).toBuilder().setGeneration(2)));
    }

    private RecoverFileReply beginRecovery() throws Exception {
        return shard.run(
                new BeginRecovery(),
                RecoverFileRequest.newBuilder().setFileId(file.value()).build());
    }

    /** Of the servers only this one has the block. */
    private void finishRecovery(RecoverFileReply attempt, long lengthBytes, ServerId holder) throws Exception {
        shard.run(
                new FinishRecovery(),
                FinishRecoveryRequest.newBuilder()
                        .setFileId(file.value())
                        .setRecoveryId(attempt.getRecoveryId())
                        .addBlock(RecoveredBlock.newBuilder()
                                .setBlockId(block().value())
                                .setGeneration(attempt.getBlock(0).getNewGeneration())
                                .setLength(lengthBytes)
                                .addServerId(holder.value()))
                        .build());
    }

    private ReclaimRecord onlyReclaim() {
        ShardState state = shard.state();
        ReclaimRecord reclaim = state.reclaim(1);
        assertNotNull(reclaim);
        assertNull(state.reclaim(2));
        return reclaim;
    }

    @Test
    void copyThatFailsItsWriterIsASpareAndTheBlockIsLookedAt() throws Exception {
        closeWithout(server(1));
        assertEquals(List.of(new Copy(server(0), 0)), BlockCopies.counted(record()));
        assertEquals(List.of(new Copy(server(1), 0)), BlockCopies.spares(record()));
        assertEquals(List.of(server(0).value()), shard.open("a").getBlock(0).getServerIdList());
        ShardState state = shard.state();
        assertNull(state.reclaim(1), "the copy is deleted while the block has one other");
        assertEquals(Urgency.UNJUDGED, state.needs().urgency(block()));
        assertNotNull(state.replica(server(1), block()), "an audit does not know the spare");
    }

    @Test
    void copyThatMissesARecoveryIsASpareAndTheBlockIsLookedAt() throws Exception {
        RecoverFileReply attempt = beginRecovery();
        finishRecovery(attempt, 7, server(1));
        assertEquals(List.of(new Copy(server(1), 0)), BlockCopies.counted(record()));
        assertEquals(List.of(new Copy(server(0), 0)), BlockCopies.spares(record()));
        assertNull(shard.state().reclaim(1));
        assertEquals(Urgency.UNJUDGED, shard.state().needs().urgency(block()));
    }

    @Test
    void blockWithAllItsCopiesIsNotLookedAt() throws Exception {
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()).addWritten(report(grant, 10)));
        assertNull(shard.state().needs().urgency(block()));
    }

    @Test
    void copyThatIsBeingMadeIsVoidOnceTheBlockIsAppended() throws Exception {
        closeWithout(server(1));
        Copy intended = intend(new ServerId(9));
        shard.append("a");
        BlockRecord record = record();
        assertTrue(record.getOpen());
        assertEquals(List.of(), BlockCopies.intended(record));
        assertFalse(BlockCopies.of(record.toBuilder()).count(intended), "a copy of the old block counts");
        assertEquals(List.of(intended), BlockCopies.reclaimed(onlyReclaim()));
        assertNull(shard.state().replica(intended.server(), block()));
    }

    @Test
    void copyThatIsBeingMadeIsVoidOnceTheBlockIsCut() throws Exception {
        closeWithout(server(1));
        Copy intended = intend(new ServerId(9));
        shard.run(
                new TruncateFile(shard.handles),
                TruncateRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName("a")
                        .setLength(4)
                        .build());
        BlockRecord record = record();
        assertTrue(record.getOpen());
        assertEquals(4, record.getLength());
        assertEquals(List.of(), BlockCopies.intended(record));
        assertFalse(BlockCopies.of(record.toBuilder()).count(intended), "a copy of the longer block counts");
        assertEquals(List.of(intended), BlockCopies.reclaimed(onlyReclaim()));
        assertNull(shard.state().replica(intended.server(), block()));
    }

    @Test
    void unlinkNamesEveryCopyByItsNumberAndEachIsConfirmedByItself() throws Exception {
        closeWithout(server(1));
        Copy intended = intend(new ServerId(9));
        shard.run(
                new DeleteFile(shard.handles),
                DeleteFileRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName("a")
                        .build());
        List<Copy> all = List.of(new Copy(server(0), 0), intended, new Copy(server(1), 0));
        assertEquals(all, BlockCopies.reclaimed(onlyReclaim()));
        for (Copy copy : all) {
            assertNull(shard.state().replica(copy.server(), block()));
        }
        confirm(server(0));
        assertEquals(List.of(intended, new Copy(server(1), 0)), BlockCopies.reclaimed(onlyReclaim()));
        confirm(server(1));
        assertEquals(List.of(intended), BlockCopies.reclaimed(onlyReclaim()));
        confirm(intended.server());
        assertNull(shard.state().reclaim(1));
    }

    @Test
    void truncateOfTheWholeBlockNamesEveryCopyByItsNumber() throws Exception {
        closeWithout(server(1));
        Copy intended = intend(new ServerId(9));
        shard.run(
                new TruncateFile(shard.handles),
                TruncateRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName("a")
                        .setLength(0)
                        .build());
        List<Copy> all = List.of(new Copy(server(0), 0), intended, new Copy(server(1), 0));
        assertEquals(all, BlockCopies.reclaimed(onlyReclaim()));
        for (Copy copy : all) {
            assertNull(shard.state().replica(copy.server(), block()));
        }
    }

    @Test
    void recoveryThatDropsABlockNamesItsSparesToo() throws Exception {
        shard.run(
                new RenewBlock(),
                RenewBlockRequest.newBuilder()
                        .setFileId(file.value())
                        .setBlockId(block().value())
                        .addFailedServerId(server(1).value())
                        .build());
        shard.run(
                new RenewBlock(),
                RenewBlockRequest.newBuilder()
                        .setFileId(file.value())
                        .setBlockId(block().value())
                        .setGeneration(2)
                        .addFailedServerId(server(1).value())
                        .setCommitted(true)
                        .build());
        assertEquals(List.of(new Copy(server(1), 0)), BlockCopies.spares(record()));
        RecoverFileReply attempt = beginRecovery();
        shard.run(
                new FinishRecovery(),
                FinishRecoveryRequest.newBuilder()
                        .setFileId(file.value())
                        .setRecoveryId(attempt.getRecoveryId())
                        .build());
        assertEquals(List.of(new Copy(server(0), 0), new Copy(server(1), 0)), BlockCopies.reclaimed(onlyReclaim()));
        assertEquals(3, onlyReclaim().getGeneration(), "a copy that was fenced is kept");
    }

    @Test
    void appendOfABlockWithASpareAndARecoveryOfItKeepTheSpareUntilUnlink() throws Exception {
        closeWithout(server(1));
        shard.append("a");
        RecoverFileReply attempt = beginRecovery();
        assertEquals(
                List.of(server(0).value()), attempt.getBlock(0).getServerIdList(), "a spare is asked for the length");
        finishRecovery(attempt, 10, server(0));
        assertEquals(List.of(new Copy(server(1), 0)), BlockCopies.spares(record()));
        shard.run(
                new DeleteFile(shard.handles),
                DeleteFileRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName("a")
                        .build());
        assertEquals(List.of(new Copy(server(0), 0), new Copy(server(1), 0)), BlockCopies.reclaimed(onlyReclaim()));
    }

    private Copy intend(ServerId server) {
        BlockRecord.Builder changed = record().toBuilder();
        Copy intended = BlockCopies.of(changed).intend(server);
        shard.change(state -> {
            HomedFile homed = HomedFile.find(state, file);
            assertNotNull(homed);
            homed.changeBlock(0, changed.build());
        });
        return intended;
    }

    private void confirm(ServerId server) throws Exception {
        shard.run(
                new ConfirmReclaim(),
                ConfirmReclaimRequest.newBuilder()
                        .setServerId(server.value())
                        .addNumber(1)
                        .build());
    }
}
