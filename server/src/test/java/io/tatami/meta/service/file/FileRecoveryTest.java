package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.service.file.FakeBlockServers.Copy;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RecoverLeaseRequest;
import io.tatami.protocol.wire.RenewLeasesRequest;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TruncateRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases that lapse and files that are closed without their writers, with the service's real handlers. */
class FileRecoveryTest {
    private final FileShard shard = new FileShard();
    private final FakeBlockServers servers = new FakeBlockServers();
    private final TestClock clock = new TestClock();
    private FileService service;

    /** Stands still until it is moved. */
    private static final class TestClock implements Clock {
        private long nanos = 1;

        void advance(Duration time) {
            nanos += time.toNanos();
        }

        @Override
        public long wallMillis() {
            return nanos / 1_000_000;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }
    }

    FileRecoveryTest() throws TatamiException {
        service = new FileService(shard, servers, clock);
    }

    @BeforeEach
    void writeAsAlice() {
        shard.session = FileShard.WRITER;
    }

    @Test
    void recoverLeaseClosesTheFileWithWhatItsServerHolds() throws Exception {
        Grant grant = create("a", 1).getGrant(0);
        servers.put(2, grant.getBlockId(), new Copy(1, 77));
        assertTrue(recoverLease("a"));
        assertEquals(77, shard.open("a").getLength());
        assertFalse(shard.open("a").getOpen());
        assertEquals(Copy.finalized(2, 77), servers.copy(2, grant.getBlockId()));
        assertTrue(recoverLease("a"));
    }

    @Test
    void blockThatNobodyBeganIsDropped() throws Exception {
        create("a", 1);
        assertTrue(recoverLease("a"));
        assertEquals(0, shard.open("a").getBlockCount());
    }

    @Test
    void silentServerIsWaitedForAndTheNextSweepGoesOn() throws Exception {
        Grant grant = create("a", 1).getGrant(0);
        servers.put(2, grant.getBlockId(), new Copy(1, 50));
        servers.silent.add(new ServerId(2));
        assertFalse(recoverLease("a"));
        assertTrue(shard.open("a").getOpen());
        servers.silent.clear();
        clock.advance(Duration.ofMinutes(2));
        service.sweep();
        assertEquals(50, shard.open("a").getLength());
        assertFalse(shard.open("a").getOpen());
    }

    @Test
    void copyThatHoldsLessThanWasCommittedIsNoBasisForAClose() throws Exception {
        CreateReply created = create("a", 1);
        commit(created, 60);
        servers.put(2, created.getGrant(0).getBlockId(), new Copy(1, 59));
        assertFalse(recoverLease("a"));
        assertTrue(shard.open("a").getOpen());
        assertEquals(60, shard.open("a").getLength());
    }

    @Test
    void shortestUsableCopyDecidesAndLongerOnesAreCutToIt() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40));
        servers.put(2, block, new Copy(1, 30));
        assertTrue(recoverLease("a"));
        Status closed = shard.open("a");
        assertEquals(30, closed.getLength());
        assertEquals(2, closed.getBlock(0).getServerIdCount());
        assertEquals(Copy.finalized(2, 30), servers.copy(1, block));
    }

    @Test
    void copyWhoseHostWasBootedDoesNotCutWhatOthersHaveFlushed() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40));
        servers.put(2, block, new Copy(1, 30, true));
        assertTrue(recoverLease("a"));
        assertEquals(40, shard.open("a").getLength());
        assertEquals(List.of(1), shard.open("a").getBlock(0).getServerIdList());
        assertEquals(Copy.finalized(2, 40), servers.copy(1, block));
    }

    @Test
    void copyWhoseHostWasBootedStaysWhereItHasAllThatOthersHave() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40));
        servers.put(2, block, new Copy(1, 50, true));
        assertTrue(recoverLease("a"));
        assertEquals(40, shard.open("a").getLength());
        assertEquals(2, shard.open("a").getBlock(0).getServerIdCount());
        assertEquals(Copy.finalized(2, 40), servers.copy(2, block));
    }

    @Test
    void whereAllHostsWereBootedTheLongestDurableCopyDecides() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40, true));
        servers.put(2, block, new Copy(1, 30, true));
        assertTrue(recoverLease("a"));
        assertEquals(40, shard.open("a").getLength());
        assertEquals(Copy.finalized(2, 40), servers.copy(1, block));
        assertEquals(List.of(1), shard.open("a").getBlock(0).getServerIdList());
        assertEquals(new Copy(1, 30, true), servers.copy(2, block), "a copy that is left out stays as it is");
    }

    @Test
    void whereNoHostIsSureToHaveAllTheSilentOneIsWaitedFor() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40, true));
        servers.put(2, block, new Copy(1, 50, true));
        servers.silent.add(new ServerId(2));
        assertFalse(recoverLease("a"));
        servers.silent.clear();
        clock.advance(Duration.ofMinutes(2));
        assertTrue(recoverLease("a"));
        assertEquals(50, shard.open("a").getLength());
    }

    @Test
    void blocksBehindOneThatWasNotFinishedAreNotWaitedFor() throws Exception {
        CreateReply created = createTwoBlocks("a");
        long first = created.getGrant(0).getBlockId();
        servers.put(1, first, new Copy(1, 40));
        servers.silent.add(new ServerId(2));
        assertTrue(recoverLease("a"), "a block that nobody can have begun waits for a server");
        assertEquals(40, shard.open("a").getLength());
        assertEquals(1, shard.open("a").getBlockCount());
    }

    @Test
    void blockBehindOneThatWasFinishedWaitsForItsServers() throws Exception {
        CreateReply created = createTwoBlocks("a");
        servers.put(1, created.getGrant(0).getBlockId(), Copy.finalized(1, 40));
        servers.silent.add(new ServerId(2));
        assertFalse(recoverLease("a"), "the silent server may have the only bytes of the second block");
        servers.silent.clear();
        servers.put(2, created.getGrant(1).getBlockId(), new Copy(1, 7));
        clock.advance(Duration.ofMinutes(2));
        assertTrue(recoverLease("a"));
        assertEquals(47, shard.open("a").getLength());
    }

    @Test
    void oneServerThatOpenedABlockAndHasNothingSaysThatItIsUnwritten() throws Exception {
        CreateReply created = createTwoBlocks("a");
        servers.put(1, created.getGrant(0).getBlockId(), new Copy(1, 0));
        servers.silent.add(new ServerId(2));
        assertTrue(recoverLease("a"));
        assertEquals(0, shard.open("a").getLength());
        assertEquals(0, shard.open("a").getBlockCount());
    }

    private CreateReply createTwoBlocks(String name) throws Exception {
        return shard.run(
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation(name).setReplication(2).setGrants(2).build());
    }

    @Test
    void serverThatWasGivenUpIsNotWaitedFor() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40, true));
        servers.gone.add(new ServerId(2));
        assertTrue(recoverLease("a"));
        assertEquals(40, shard.open("a").getLength());
        assertEquals(List.of(1), shard.open("a").getBlock(0).getServerIdList());
    }

    @Test
    void finalizationThatFailsEverywhereIsFollowedByAnotherAttempt() throws Exception {
        long block = createOnTwo("a");
        servers.put(1, block, new Copy(1, 40));
        servers.put(2, block, new Copy(1, 40));
        servers.failFinalize.add(new ServerId(1));
        servers.failFinalize.add(new ServerId(2));
        assertFalse(recoverLease("a"));
        assertTrue(shard.open("a").getOpen());
        servers.failFinalize.remove(new ServerId(2));
        clock.advance(Duration.ofMinutes(2));
        assertTrue(recoverLease("a"));
        assertEquals(40, shard.open("a").getLength());
        assertEquals(List.of(2), shard.open("a").getBlock(0).getServerIdList());
    }

    /** Returns the file's block, of which 10 bytes are committed. */
    private long createOnTwo(String name) throws Exception {
        CreateReply created = shard.run(
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation(name).setReplication(2).setGrants(1).build());
        commit(created, 10);
        return created.getGrant(0).getBlockId();
    }

    @Test
    void silentCopyIsLeftBehindWhereAnotherIsGood() throws Exception {
        CreateReply created = shard.run(
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation("a").setReplication(2).setGrants(1).build());
        servers.put(1, created.getGrant(0).getBlockId(), new Copy(1, 40));
        servers.silent.add(new ServerId(2));
        assertTrue(recoverLease("a"));
        assertEquals(1, shard.open("a").getBlock(0).getServerIdCount());
    }

    @Test
    void anotherWriterTakesOverOnlyAfterTheSoftLimit() throws Exception {
        Grant grant = create("a", 1).getGrant(0);
        servers.put(2, grant.getBlockId(), new Copy(1, 5));
        clock.advance(Duration.ofSeconds(50));
        service.call(MetaMethods.RENEW_LEASES, RenewLeasesRequest.getDefaultInstance());
        clock.advance(Duration.ofSeconds(50));
        shard.session = FileShard.OTHER;
        assertEquals(ErrorCode.LEASE_HELD, appendRefusal("a"));
        assertTrue(shard.open("a").getOpen());
        clock.advance(Duration.ofSeconds(11));
        assertEquals(ErrorCode.LEASE_HELD, appendRefusal("a"));
        assertFalse(shard.open("a").getOpen());
        assertTrue(service.call(MetaMethods.APPEND, appending("a")).hasLastBlock());
    }

    @Test
    void filesOfAWriterThatIsSilentForLongAreClosedUnasked() throws Exception {
        create("unwritten", 0);
        create("begun", 1);
        service.sweep();
        clock.advance(Duration.ofMinutes(19));
        service.sweep();
        assertTrue(shard.open("unwritten").getOpen());
        assertTrue(shard.open("begun").getOpen());
        clock.advance(Duration.ofMinutes(2));
        service.sweep();
        assertFalse(shard.open("unwritten").getOpen());
        assertFalse(shard.open("begun").getOpen());
    }

    @Test
    void newLeaderCountsFromItsOwnStart() throws Exception {
        create("a", 1);
        clock.advance(Duration.ofMinutes(30));
        service = new FileService(shard, servers, clock);
        service.sweep();
        assertTrue(shard.open("a").getOpen());
        clock.advance(Duration.ofMinutes(21));
        service.sweep();
        assertFalse(shard.open("a").getOpen());
    }

    @Test
    void newLeaderGoesOnWithARecoveryUnderWay() throws Exception {
        Grant grant = create("a", 1).getGrant(0);
        servers.silent.add(new ServerId(2));
        assertFalse(recoverLease("a"));
        servers.put(2, grant.getBlockId(), new Copy(2, 9));
        servers.silent.clear();
        service = new FileService(shard, servers, clock);
        service.sweep();
        assertEquals(9, shard.open("a").getLength());
        assertEquals(3, shard.open("a").getBlock(0).getGeneration());
    }

    @Test
    void truncateInsideABlockIsCarriedOutInTheBackground() throws Exception {
        shard.written("a", 1_000, 400);
        long block = shard.open("a").getBlock(1).getBlockId();
        int server = shard.open("a").getBlock(1).getServerId(0);
        servers.put(server, block, new Copy(1, 400));
        TruncateRequest cut = TruncateRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("a")
                .setLength(1_100)
                .build();
        assertFalse(service.call(MetaMethods.TRUNCATE, cut).getDone());
        assertEquals(Copy.finalized(3, 100), servers.copy(server, block));
        assertEquals(1_100, shard.open("a").getLength());
        assertFalse(shard.open("a").getOpen());
    }

    private CreateReply create(String name, int grants) throws TatamiException {
        return service.call(
                MetaMethods.CREATE, shard.creation(name).setGrants(grants).build());
    }

    private void commit(CreateReply created, long length) throws TatamiException {
        service.call(
                MetaMethods.COMMIT_LENGTH,
                CommitLengthRequest.newBuilder()
                        .setFileId(created.getStatus().getId())
                        .addWritten(BlockReport.newBuilder()
                                .setBlockId(created.getGrant(0).getBlockId())
                                .setGeneration(1)
                                .setLength(length))
                        .build());
    }

    private boolean recoverLease(String name) throws TatamiException {
        RecoverLeaseRequest request = RecoverLeaseRequest.newBuilder()
                .setHandle(shard.handle())
                .setName(name)
                .build();
        return service.call(MetaMethods.RECOVER_LEASE, request).getClosed();
    }

    private AppendRequest appending(String name) {
        return AppendRequest.newBuilder()
                .setHandle(shard.handle())
                .setName(name)
                .build();
    }

    private ErrorCode appendRefusal(String name) {
        return assertThrows(TatamiException.class, () -> service.call(MetaMethods.APPEND, appending(name)))
                .code();
    }
}
