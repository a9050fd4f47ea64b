package io.tatami.meta.op.cluster;

import com.google.protobuf.Empty;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.PlacementRecord;
import org.jspecify.annotations.Nullable;

/** Notes that the server of a group is to hold it by a replicated log from now on; without effect where it does. */
public final class BeginReplicating implements Operation<ClusterState, PlacementRecord, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, PlacementRecord request) {
        GroupId group = new GroupId(request.getGroup());
        @Nullable GroupHostRecord known = state.host(group);
        if (known != null && known.getReplicaCount() == 0 && !known.getReplicating()) {
            state.putHost(group, known.toBuilder().setReplicating(true).build());
        }
        return Empty.getDefaultInstance();
    }
}
