package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MetadataServerRecord.State;
import io.tatami.protocol.wire.Empty;
import org.jspecify.annotations.Nullable;

/**
 * Logs the next step by which replicas come to where they should be, where there is one now; see
 * {@link ReplicaMovePlan}.
 */
public final class MoveReplicas implements Operation<ClusterState, LivingServers, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, LivingServers request) {
        ReplicaMovePlan.Step step = new ReplicaMovePlan(state, request).next();
        if (step instanceof ReplicaMovePlan.Step.Move move) {
            put(state, move.group(), move.group().moving(move.from(), move.to()));
        } else if (step instanceof ReplicaMovePlan.Step.TurnRound turn) {
            put(state, turn.group(), turn.group().turnedRound());
        } else if (step instanceof ReplicaMovePlan.Step.Release release) {
            put(state, release.group(), release.group().releasing(release.from()));
        } else if (step instanceof ReplicaMovePlan.Step.Retire retire) {
            retire(state, retire.server());
        }
        return Empty.getDefaultInstance();
    }

    private static void put(ClusterState state, ReplicaSet group, GroupHostRecord record) {
        state.putHost(group.group(), record);
    }

    private static void retire(ClusterState state, ByteString id) {
        ClusterState.@Nullable MetadataServer server = state.metadataServer(id);
        if (server != null) {
            new MetadataServers(state)
                    .put(
                            server,
                            server.record().toBuilder().setState(State.REMOVED).build());
        }
    }
}
