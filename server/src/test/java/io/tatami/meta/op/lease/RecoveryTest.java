package io.tatami.meta.op.lease;

import static io.tatami.meta.op.file.FileShard.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.CommitLength;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.RenewBlock;
import io.tatami.meta.state.wire.FinishRecoveryRequest;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReadLeasesReply;
import io.tatami.meta.state.wire.ReadLeasesRequest;
import io.tatami.meta.state.wire.RecoverFileReply;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.RenewLeasesRequest;
import io.tatami.protocol.wire.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files whose writers are gone: who is fenced, what is kept, and how short a file may become. */
class RecoveryTest {
    private final FileShard shard = new FileShard();

    @Test
    void fileWithoutBlocksIsClosedAtOnce() throws Exception {
        FileId file = new FileId(shard.create("a", 0).getStatus().getId());
        assertTrue(begin(file).getClosed());
        assertFalse(shard.open("a").getOpen());
        assertTrue(begin(file).getClosed());
    }

    @Test
    void writerIsFencedFromTheMomentTheRecoveryIsIssued() throws Exception {
        CreateReply created = shard.create("a", 1);
        FileId file = new FileId(created.getStatus().getId());
        assertFalse(begin(file).getClosed());
        TatamiException late = assertThrows(
                TatamiException.class,
                () -> shard.complete(CompleteRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(report(created.getGrant(0), 5))));
        assertEquals(ErrorCode.LEASE_EXPIRED, late.code());
        assertEquals(
                file.value(),
                shard.run(
                                new RenewLeases(),
                                RenewLeasesRequest.newBuilder()
                                        .addFileId(file.value())
                                        .build())
                        .getLostFileId(0));
    }

    /** Session and file are the same; without the number of the recovery the first stream would write in the second. */
    @Test
    void streamThatWasRecoveredStaysFencedWhenItsSessionOpensTheFileAgain() throws Exception {
        CreateReply created = shard.create("a", 1);
        FileId file = new FileId(created.getStatus().getId());
        finish(file, begin(file), 10);
        AppendReply again = shard.append("a");
        assertEquals(1, again.getRecoveryId());
        AddBlocksRequest.Builder more =
                AddBlocksRequest.newBuilder().setFileId(file.value()).setGrants(1);
        assertEquals(ErrorCode.LEASE_EXPIRED, shard.refusal(new AddBlocks(), more.build()));
        assertEquals(
                ErrorCode.LEASE_EXPIRED,
                shard.refusal(
                        new CommitLength(),
                        CommitLengthRequest.newBuilder().setFileId(file.value()).build()));
        assertEquals(
                ErrorCode.LEASE_EXPIRED,
                shard.refusal(
                        new RenewBlock(),
                        RenewBlockRequest.newBuilder()
                                .setFileId(file.value())
                                .setBlockId(again.getLastBlock().getBlockId())
                                .build()));
        assertEquals(
                ErrorCode.LEASE_EXPIRED,
                shard.refusal(
                        new CompleteFile(FileLimits.DEFAULT),
                        CompleteRequest.newBuilder().setFileId(file.value()).build()));
        shard.complete(CompleteRequest.newBuilder().setFileId(file.value()).setRecoveryId(again.getRecoveryId()));
        assertEquals(10, shard.open("a").getLength());
    }

    @Test
    void fileIsClosedWithWhatIsDurableAndTheUnwrittenIsDropped() throws Exception {
        CreateReply created = shard.create("a", 2);
        FileId file = new FileId(created.getStatus().getId());
        RecoverFileReply attempt = begin(file);
        assertEquals(2, attempt.getBlockCount());
        assertEquals(2, attempt.getBlock(0).getNewGeneration());
        finish(file, attempt, 321);
        assertEquals(321, shard.open("a").getLength());
        assertEquals(1, shard.open("a").getBlockCount());
        assertEquals(2, shard.open("a").getBlock(0).getGeneration());
        assertFalse(shard.open("a").getOpen());
        assertEquals(HomeRecord.State.CLOSED, shard.home(file).getState());
    }

    @Test
    void onlyTheNewestAttemptCounts() throws Exception {
        FileId file = new FileId(shard.create("a", 1).getStatus().getId());
        RecoverFileReply first = begin(file);
        RecoverFileReply second = begin(file);
        finish(file, first, 10);
        assertTrue(shard.open("a").getOpen());
        finish(file, second, 20);
        assertEquals(20, shard.open("a").getLength());
    }

    @Test
    void committedBytesAreNeverClosedAway() throws Exception {
        CreateReply created = shard.create("a", 1);
        FileId file = new FileId(created.getStatus().getId());
        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(report(created.getGrant(0), 100))
                        .build());
        RecoverFileReply attempt = begin(file);
        assertEquals(100, attempt.getBlock(0).getCommittedLength());
        assertThrows(IllegalStateException.class, () -> finish(file, attempt, 99));
        assertThrows(IllegalStateException.class, () -> finish(file, attempt));
        finish(file, attempt, 100);
        assertEquals(100, shard.open("a").getLength());
    }

    @Test
    void smallFileThatWasAppendedKeepsItsBytesUnlessABlockHasThem() throws Exception {
        FileId file = shard.inline("a", "hello");
        for (long durable : new long[] {4, 8}) {
            long opening = shard.append("a").getRecoveryId();
            Grant grant = shard.run(
                            new AddBlocks(),
                            AddBlocksRequest.newBuilder()
                                    .setFileId(file.value())
                                    .setRecoveryId(opening)
                                    .setGrants(1)
                                    .build())
                    .getGrant(0);
            assertEquals(1, grant.getGeneration());
            finish(file, begin(file), durable);
            assertEquals(durable < 5, shard.open("a").getIsInline());
            assertEquals(Math.max(5, durable), shard.open("a").getLength());
        }
    }

    /** The writer dies with {@code blocks} of 1,000 bytes reported, and {@code open} granted behind them. */
    @ParameterizedTest
    @CsvSource({"1, 0, 0", "1, 1, 0", "1, 1, 999", "2, 0, 0", "2, 1, 0", "2, 1, 499", "2, 1, 500", "2, 1, 1000"})
    void smallFileWhoseBlocksHoldAPartOfItKeepsItsBytes(int blocks, int open, long durable) throws Exception {
        FileId file = shard.inline("a", "x".repeat(2_500));
        AddBlocksRequest.Builder more = AddBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setRecoveryId(shard.append("a").getRecoveryId());
        for (int block = 0; block < blocks; block++) {
            Grant grant = shard.run(new AddBlocks(), more.setGrants(1).build()).getGrant(0);
            more.clearWritten().addWritten(report(grant, 1_000));
        }
        shard.run(new AddBlocks(), more.setGrants(open).build());
        assertEquals(blocks + open, shard.home(file).getBlocks());

        RecoverFileReply attempt = begin(file);
        if (durable > 0) {
            finish(file, attempt, durable);
        } else if (!attempt.getClosed()) {
            finish(file, attempt);
        }

        boolean inBlocks = blocks * 1_000L + durable >= 2_500;
        Status closed = shard.open("a");
        assertFalse(closed.getOpen());
        assertEquals(!inBlocks, closed.getIsInline());
        assertEquals(inBlocks ? blocks * 1_000L + durable : 2_500, closed.getLength());
        assertEquals(inBlocks ? blocks + open : 0, shard.home(file).getBlocks());
        assertEquals(inBlocks ? 0 : 2_500, closed.getInline().size());
        assertFalse(shard.append("a").hasLastBlock() && !inBlocks, "the next writer goes on behind what is inline");
    }

    @Test
    void recoveryForOneSessionLeavesTheFileToAnother() throws Exception {
        FileId file = new FileId(shard.create("a", 1).getStatus().getId());
        RecoverFileRequest late = RecoverFileRequest.newBuilder()
                .setFileId(file.value())
                .setWriterSession(FileShard.OTHER.value())
                .build();
        assertTrue(shard.run(new BeginRecovery(), late).getClosed());
        assertEquals(HomeRecord.State.OPEN, shard.home(file).getState());
    }

    @Test
    void leasesAreReadInPagesAndRecoveriesStandUnderNoSession() throws Exception {
        for (String name : new String[] {"a", "b", "c"}) {
            shard.create(name, 1);
        }
        begin(new FileId(shard.open("b").getId()));
        ReadLeasesReply first = shard.run(
                new ReadLeases(), ReadLeasesRequest.newBuilder().setLimit(2).build());
        assertTrue(first.getMore());
        assertEquals(SessionId.NONE.value(), first.getLease(0).getSession());
        assertEquals(FileShard.WRITER.value(), first.getLease(1).getSession());
        ReadLeasesReply rest = shard.run(
                new ReadLeases(),
                ReadLeasesRequest.newBuilder()
                        .setLimit(2)
                        .setAfterSession(first.getLease(1).getSession())
                        .setAfterFileId(first.getLease(1).getFileId())
                        .build());
        assertEquals(1, rest.getLeaseCount());
        assertFalse(rest.getMore());
    }

    private RecoverFileReply begin(FileId file) throws Exception {
        return shard.run(
                new BeginRecovery(),
                RecoverFileRequest.newBuilder().setFileId(file.value()).build());
    }

    private void finish(FileId file, RecoverFileReply attempt, long... lengths) throws Exception {
        FinishRecoveryRequest.Builder request =
                FinishRecoveryRequest.newBuilder().setFileId(file.value()).setRecoveryId(attempt.getRecoveryId());
        for (int i = 0; i < lengths.length; i++) {
            RecoveringBlock block = attempt.getBlock(i);
            request.addBlock(RecoveredBlock.newBuilder()
                    .setBlockId(block.getBlockId())
                    .setGeneration(block.getNewGeneration())
                    .setLength(lengths[i])
                    .addAllServerId(block.getServerIdList()));
        }
        shard.run(new FinishRecovery(), request.build());
    }
}
