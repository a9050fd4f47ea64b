package io.tatami.meta.op.cluster;

import com.google.protobuf.Empty;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.ReplicationRecord;

/** Notes that every group has as many members as it shall. */
public final class EndReplicating implements Operation<ClusterState, ReplicationRecord, Empty> {
    /** @param request the goal that was reached; another that was set since stays */
    @Override
    public Empty decide(ClusterState state, RequestContext context, ReplicationRecord request) {
        ReplicationRecord now = state.replication(request.getReplicas());
        if (now.equals(request)) {
            state.setReplication(now.toBuilder().setUnderWay(false).build());
        }
        return Empty.getDefaultInstance();
    }
}
