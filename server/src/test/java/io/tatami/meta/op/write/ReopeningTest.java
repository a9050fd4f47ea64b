package io.tatami.meta.op.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether an append goes on in the last block. */
final class ReopeningTest {
    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;
    private BlockLocation block = BlockLocation.getDefaultInstance();

    @BeforeEach
    void write() throws Exception {
        file = shard.written("a", 400);
        block = shard.open("a").getBlock(0);
        assertEquals(1, block.getServerIdCount());
    }

    private ServerId holder() {
        return new ServerId(block.getServerId(0));
    }

    private AppendReply append(BlockServerInfo.State state) throws Exception {
        ClusterMap.Builder map = shard.context().cluster().toBuilder();
        map.getBlockServerBuilderList().stream()
                .filter(server -> server.getServerId() == holder().value())
                .forEach(server -> server.setState(state));
        RequestContext context =
                new RequestContext(shard.caller, shard.session, 1, 1, Set.of(), map.build(), true, false, "");
        AppendRequest request = AppendRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("a")
                .build();
        return shard.run(new AppendFile(shard.handles), request, context);
    }

    @ParameterizedTest
    @EnumSource(
            value = BlockServerInfo.State.class,
            names = {"ACTIVE", "JOINING"})
    void lastBlockGoesOnWhereItsServersTakeBlocks(BlockServerInfo.State state) throws Exception {
        assertEquals(block.getBlockId(), append(state).getLastBlock().getBlockId());
    }

    @ParameterizedTest
    @EnumSource(
            value = BlockServerInfo.State.class,
            names = {"DRAINING", "STALE", "MAINTENANCE", "DEAD", "GONE"})
    void newBlockIsBegunWhereAServerOfTheLastOneTakesNone(BlockServerInfo.State state) throws Exception {
        AppendReply reply = append(state);
        assertFalse(reply.hasLastBlock());
        assertEquals(400, reply.getStatus().getLength());
        AddBlocksRequest more = AddBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setGrants(1)
                .build();
        assertTrue(shard.run(new AddBlocks(), more).getGrant(0).getBlockId() != block.getBlockId());
    }

    @ParameterizedTest
    @EnumSource(
            value = ReplicaRecord.Problem.class,
            names = {"MISSING", "DAMAGED", "UNAVAILABLE"})
    void newBlockIsBegunWhereACopyOfTheLastOneIsBad(ReplicaRecord.Problem problem) throws Exception {
        shard.change(state -> state.putReplica(
                holder(),
                new BlockId(block.getBlockId()),
                ReplicaRecord.newBuilder()
                        .setFileId(file.value())
                        .setHeld(true)
                        .setProblem(problem)
                        .build()));
        assertFalse(append(BlockServerInfo.State.ACTIVE).hasLastBlock());
    }

    @Test
    void newBlockIsBegunWhereAServerIsNotKnownAnyMore() throws Exception {
        RequestContext context = new RequestContext(
                shard.caller, shard.session, 1, 1, Set.of(), ClusterMap.getDefaultInstance(), true, false, "");
        AppendRequest request = AppendRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("a")
                .build();
        assertFalse(shard.run(new AppendFile(shard.handles), request, context).hasLastBlock());
    }
}
