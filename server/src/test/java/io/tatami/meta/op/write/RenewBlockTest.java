package io.tatami.meta.op.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RenewBlockRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Servers that fail before a byte of their block is acknowledged, and those that take their places. */
final class RenewBlockTest {
    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;
    private Grant grant = Grant.getDefaultInstance();

    private RequestContext context(int servers) {
        ClusterMap.Builder map = ClusterMap.newBuilder();
        for (int server = 1; server <= servers; server++) {
            map.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(server)
                    .setHost("host" + server)
                    .setRack("/rack" + server)
                    .setState(BlockServerInfo.State.ACTIVE)
                    .setFreeBytes(1L << 40));
            ServerId id = new ServerId(server);
            shard.change(state ->
                    state.putCredit(id, CreditRecord.newBuilder().setBlocks(10).build()));
        }
        RequestContext asked = shard.context();
        return new RequestContext(asked.caller(), asked.session(), asked.nowMillis(), asked.settled(), map.build());
    }

    private void create(int servers, int copies) throws Exception {
        CreateReply created = shard.run(
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation("a")
                        .setReplication(copies)
                        .setGrants(1)
                        .setClientHost("host1")
                        .build(),
                context(servers));
        file = new FileId(created.getStatus().getId());
        grant = created.getGrant(0);
    }

    private RenewBlockRequest.Builder renewal(int... failed) {
        RenewBlockRequest.Builder request = RenewBlockRequest.newBuilder()
                .setFileId(file.value())
                .setBlockId(grant.getBlockId())
                .setGeneration(2)
                .setUnwritten(true);
        for (int server : failed) {
            request.addFailedServerId(server);
        }
        return request;
    }

    private Grant renew(RenewBlockRequest.Builder request, int servers) throws Exception {
        return shard.run(new RenewBlock(), request.build(), context(servers)).getGrant();
    }

    private BlockRecord record() {
        HomedFile homed = HomedFile.find(shard.state(), file);
        assertNotNull(homed);
        return homed.requireBlock(0);
    }

    @Test
    void anotherServerTakesThePlaceOfOneThatFailedBeforeAByteWasAcknowledged() throws Exception {
        create(4, 3);
        int failed = grant.getServerId(1);
        Grant renewed = renew(renewal(failed), 4);
        assertEquals(3, renewed.getServerIdCount());
        assertEquals(2, renewed.getGeneration());
        assertEquals(grant.getServerId(0), renewed.getServerId(0), "the writer's own server stays the first");
        assertEquals(grant.getServerId(2), renewed.getServerId(1));
        assertEquals(
                10
                        - grant.getServerIdList().stream()
                                .mapToInt(Integer::intValue)
                                .sum(),
                renewed.getServerId(2));
        assertEquals(renewed.getServerIdList(), record().getServerIdList());
        assertEquals(List.of(), BlockCopies.spares(record()));
        ReclaimRecord reclaim = shard.state().reclaim(1);
        assertNotNull(reclaim);
        assertEquals(List.of(new Copy(new ServerId(failed), 0)), BlockCopies.reclaimed(reclaim));
        assertEquals(1, reclaim.getGeneration(), "a copy that the server is granted again is deleted");
        BlockId block = new BlockId(grant.getBlockId());
        assertNull(shard.state().replica(new ServerId(failed), block));
        assertNotNull(shard.state().replica(new ServerId(renewed.getServerId(2)), block));
        Grant committed = renew(renewal(failed).setCommitted(true), 4);
        assertEquals(renewed.getServerIdList(), committed.getServerIdList());
        assertEquals(2, record().getGeneration());
    }

    @Test
    void blockGoesOnWithFewerServersWhereNoHostIsLeft() throws Exception {
        create(2, 2);
        Grant renewed = renew(renewal(grant.getServerId(1)), 2);
        assertEquals(List.of(grant.getServerId(0)), renewed.getServerIdList());
        assertEquals(List.of(grant.getServerId(0)), record().getServerIdList());
    }

    @Test
    void nobodyTakesAPlaceOnceBytesAreAcknowledgedOrCommitted() throws Exception {
        create(4, 3);
        Grant renewed = renew(renewal(grant.getServerId(1)).setUnwritten(false), 4);
        assertEquals(2, renewed.getServerIdCount());
        assertEquals(3, record().getServerIdCount(), "the failed copy is known until the generation is committed");
        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(FileShard.report(grant, 5))
                        .build());
        assertEquals(2, renew(renewal(grant.getServerId(1)), 4).getServerIdCount());
        assertEquals(3, record().getServerIdCount());
    }
}
