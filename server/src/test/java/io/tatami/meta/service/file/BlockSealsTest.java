package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.service.file.FakeBlockServers.Copy;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RecoverLeaseRequest;
import io.tatami.protocol.wire.SealBlockReply;
import io.tatami.protocol.wire.SealBlockRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Seals for writers that live, with the service's real handlers over scripted servers. */
final class BlockSealsTest {
    private final FileShard shard = new FileShard();
    private final FakeBlockServers servers = new FakeBlockServers();
    private FileService service;
    private Grant grant = Grant.getDefaultInstance();
    private SealBlockRequest.Builder request = SealBlockRequest.newBuilder();

    BlockSealsTest() throws TatamiException {
        service = new FileService(shard, servers, new FixedClock(shard.nowMillis));
    }

    @BeforeEach
    void createWithTwoCopies() throws Exception {
        CreateReply created = service.call(
                MetaMethods.CREATE,
                shard.creation("a").setReplication(2).setGrants(2).build());
        grant = created.getGrant(0);
        request = SealBlockRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .setBlockId(grant.getBlockId())
                .setGeneration(1)
                .setAcknowledgedLength(20)
                .addFailedServerId(2);
    }

    private SealBlockReply seal() throws TatamiException {
        return service.call(MetaMethods.SEAL_BLOCK, request.build());
    }

    private ErrorCode refusal() {
        return assertThrows(TatamiException.class, this::seal).code();
    }

    @Test
    void blockIsSealedWithoutTheServerThatFailed() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.silent.add(new ServerId(2));
        SealBlockReply sealed = seal();
        assertEquals(30, sealed.getBlock().getLength());
        assertEquals(2, sealed.getBlock().getGeneration());
        assertEquals(List.of(1), sealed.getServerIdList());
        assertEquals(Copy.finalized(2, 30), servers.copy(1, grant.getBlockId()));
        assertEquals(sealed, seal());
        assertTrue(shard.open("a").getOpen(), "the writer goes on");
    }

    @Test
    void serverThatFailedIsNotWaitedForWhereAnotherIsSure() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.put(2, grant.getBlockId(), new Copy(1, 25));
        servers.slow.add(new ServerId(2));
        assertEquals(30, seal().getBlock().getLength());
        servers.answerSlow();
        assertEquals(List.of(1), shard.open("a").getBlock(0).getServerIdList());
    }

    @Test
    void serverThatFailedCountsWhereItAnswersAndReachesTheLength() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.put(2, grant.getBlockId(), new Copy(1, 25));
        SealBlockReply sealed = seal();
        assertEquals(25, sealed.getBlock().getLength());
        assertEquals(grant.getServerIdList(), sealed.getServerIdList());
    }

    @Test
    void serverThatDidNotFinalizeIsASpare() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.put(2, grant.getBlockId(), new Copy(1, 30));
        servers.failFinalize.add(new ServerId(2));
        assertEquals(List.of(1), seal().getServerIdList());
        assertEquals(List.of(1), shard.open("a").getBlock(0).getServerIdList());
    }

    @Test
    void copyBelowWhatWasAcknowledgedIsNoBasisForASeal() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 19));
        servers.silent.add(new ServerId(2));
        assertEquals(ErrorCode.UNAVAILABLE, refusal());
        servers.silent.clear();
        servers.put(2, grant.getBlockId(), new Copy(1, 20));
        assertEquals(20, seal().getBlock().getLength());
    }

    @Test
    void refusalNamesTheServerThatIsWaitedForAndTheRemedy() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30, true));
        servers.silent.add(new ServerId(2));
        TatamiException refused = assertThrows(TatamiException.class, this::seal);
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("block server 2 (s2 is silent)"), message);
        assertTrue(message.contains("tatami admin block give-up"), message);
        servers.gone.add(new ServerId(2));
        assertEquals(30, seal().getBlock().getLength());
    }

    @Test
    void secondSealWaitsForTheFirstWhichEnds() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.silent.add(new ServerId(2));
        servers.slow.add(new ServerId(1));
        CompletableFuture<SealBlockReply> first = service.begin(MetaMethods.SEAL_BLOCK, request.build());
        assertEquals(ErrorCode.BUSY, refusal());
        servers.slow.clear();
        servers.answerSlow();
        assertTrue(first.isDone());
        assertEquals(first.join(), seal());
    }

    @Test
    void leaderThatChangedBetweenBeginAndFinishIsFollowedByTheNext() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.put(2, grant.getBlockId(), new Copy(1, 30));
        servers.slow.add(new ServerId(1));
        servers.slow.add(new ServerId(2));
        CompletableFuture<SealBlockReply> lost = service.begin(MetaMethods.SEAL_BLOCK, request.build());
        service = new FileService(shard, servers, new FixedClock(shard.nowMillis));
        servers.slow.clear();
        SealBlockReply sealed = seal();
        assertEquals(3, sealed.getBlock().getGeneration());
        servers.answerSlow();
        assertTrue(lost.isCompletedExceptionally(), "servers finalized the block for an attempt that was over");
        assertEquals(Copy.finalized(3, 30), servers.copy(1, grant.getBlockId()));
    }

    @Test
    void recoveryOfTheFileEndsASealThatWaits() throws Exception {
        servers.put(1, grant.getBlockId(), new Copy(1, 30));
        servers.put(2, grant.getBlockId(), new Copy(1, 30));
        servers.slow.add(new ServerId(1));
        servers.slow.add(new ServerId(2));
        CompletableFuture<SealBlockReply> waits = service.begin(MetaMethods.SEAL_BLOCK, request.build());
        servers.slow.clear();
        assertTrue(service.call(
                        MetaMethods.RECOVER_LEASE,
                        RecoverLeaseRequest.newBuilder()
                                .setHandle(shard.handle())
                                .setName("a")
                                .build())
                .getClosed());
        servers.answerSlow();
        assertTrue(waits.isCompletedExceptionally());
        assertEquals(ErrorCode.LEASE_EXPIRED, refusal());
        assertEquals(30, shard.open("a").getLength());
        assertFalse(shard.open("a").getOpen());
    }
}
