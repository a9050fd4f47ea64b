package io.tatami.meta.op.cluster;

import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import org.jspecify.annotations.Nullable;

/** Notes which replicated groups a server leads, of those that it holds. */
public final class NoteLeaders implements Operation<ClusterState, ReportMetadataServerRequest, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, ReportMetadataServerRequest request) {
        for (int number : request.getLedGroupList()) {
            GroupId group = new GroupId(number);
            @Nullable GroupHostRecord known = state.host(group);
            if (known == null || known.getServerId().equals(request.getServerId())) {
                continue;
            }
            for (GroupReplicaRecord replica : known.getReplicaList()) {
                if (replica.getServerId().equals(request.getServerId())) {
                    state.putHost(
                            group,
                            ReplicaPlaces.leading(known.toBuilder(), replica).build());
                }
            }
        }
        return Empty.getDefaultInstance();
    }
}
