package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.meta.state.wire.TotalsRecord;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A block with copies on two servers. */
final class KnownHealthTest {
    private final FileShard shard = new FileShard();
    private FileId file = FileId.NONE;

    @BeforeEach
    void write() throws Exception {
        file = shard.written("f", 1_000);
        shard.change(state -> {
            BlockRecord.Builder block = state.blocks(file).get(0).toBuilder();
            int other = 3 - block.getServerId(0);
            BlockCopies.of(block).grant(new ServerId(other));
            state.changeBlock(file, 0, block.build());
            put(state, 1, Problem.NONE);
            put(state, 2, Problem.NONE);
        });
    }

    private void put(ShardState state, int server, Problem problem) {
        state.putReplica(
                new ServerId(server),
                new BlockId(state.blocks(file).get(0).getBlockId()),
                ReplicaRecord.newBuilder()
                        .setFileId(file.value())
                        .setHeld(true)
                        .setProblem(problem)
                        .build());
    }

    private void somethingWaits() throws Exception {
        shard.change(state -> state.draft()
                .put(
                        Keys.singleton("totals"),
                        TotalsRecord.newBuilder().addNeedsByClass(1).build().toByteArray()));
    }

    private BlockLocation location(State first, State second) throws Exception {
        List<BlockLocation> added = new ArrayList<>();
        ClusterMap map = ClusterMap.newBuilder()
                .addBlockServer(server(1, first))
                .addBlockServer(server(2, second))
                .build();
        shard.change(state -> {
            BlockRecord block = state.blocks(file).get(0);
            BlockLocation plain = BlockLocation.newBuilder()
                    .setBlockId(block.getBlockId())
                    .addAllServerId(block.getServerIdList())
                    .build();
            added.add(new KnownHealth(state, map).added(plain, block, 2));
        });
        return added.get(0);
    }

    private static BlockServerInfo server(int id, State state) {
        return BlockServerInfo.newBuilder()
                .setServerId(id)
                .setHost("host" + id)
                .setState(state)
                .build();
    }

    @Test
    void soundBlockIsToldAsItIs() throws Exception {
        BlockLocation sound = location(State.ACTIVE, State.STALE);
        assertFalse(sound.getUnreadable());
        assertEquals(0, sound.getBadServerIdCount() + sound.getAwayServerIdCount());
    }

    @Test
    void badCopyIsNamedWhileItsBlockWaits() throws Exception {
        shard.change(state -> put(state, 2, Problem.DAMAGED));
        somethingWaits();
        BlockLocation location = location(State.ACTIVE, State.ACTIVE);
        assertEquals(List.of(2), location.getBadServerIdList());
        assertFalse(location.getUnreadable());
        shard.change(state -> put(state, 1, Problem.MISSING));
        assertTrue(location(State.ACTIVE, State.ACTIVE).getUnreadable());
    }

    /** Most shards have nothing that waits: their blocks cost no look-up. */
    @Test
    void copiesAreNotLookedUpWhereNothingWaits() throws Exception {
        shard.change(state -> put(state, 2, Problem.DAMAGED));
        assertEquals(0, location(State.ACTIVE, State.ACTIVE).getBadServerIdCount());
    }

    @Test
    void serversThatAreAwayAreNamed() throws Exception {
        for (State away : List.of(State.DEAD, State.GONE, State.MAINTENANCE)) {
            BlockLocation location = location(State.ACTIVE, away);
            assertEquals(List.of(2), location.getAwayServerIdList(), away::toString);
            assertFalse(location.getUnreadable(), away::toString);
        }
        assertTrue(location(State.DEAD, State.DEAD).getUnreadable());
        assertTrue(location(State.DEAD, State.GONE).getUnreadable());
    }

    /** Its server may answer. */
    @Test
    void copyInMaintenanceKeepsABlockReadable() throws Exception {
        assertFalse(location(State.MAINTENANCE, State.DEAD).getUnreadable());
    }
}
