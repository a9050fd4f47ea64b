package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.PlacementRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives a replicated group to further servers, until as many have it as shall. A server that was given it, has not opened it
 * and is not among those named gives its place up.
 */
public final class PlaceReplicas implements Operation<ClusterState, PlacementRecord, Empty> {
    private final int founded;

    /** @param founded how many servers were to hold each group when the cluster was founded */
    public PlaceReplicas(int founded) {
        this.founded = founded;
    }

    /** @param request names servers that can take it, the most wanted first */
    @Override
    public Empty decide(ClusterState state, RequestContext context, PlacementRecord request) {
        GroupId group = new GroupId(request.getGroup());
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null || known.getReplicaCount() == 0) {
            return Empty.getDefaultInstance();
        }
        Set<ByteString> named = ids(request.getReplicaList());
        List<GroupReplicaRecord> holders = new ArrayList<>();
        for (GroupReplicaRecord holder : known.getReplicaList()) {
            if (holder.getServes() || named.contains(holder.getServerId())) {
                holders.add(holder);
            }
        }
        int wanted = state.replication(founded).getReplicas();
        for (GroupReplicaRecord candidate : request.getReplicaList()) {
            if (holders.size() < wanted && !ids(holders).contains(candidate.getServerId())) {
                holders.add(candidate);
            }
        }
        if (holders.size() == wanted && !holders.equals(known.getReplicaList())) {
            state.putHost(
                    group, known.toBuilder().clearReplica().addAllReplica(holders).build());
        }
        return Empty.getDefaultInstance();
    }

    private static Set<ByteString> ids(List<GroupReplicaRecord> replicas) {
        Set<ByteString> ids = new HashSet<>();
        replicas.forEach(replica -> ids.add(replica.getServerId()));
        return ids;
    }
}
