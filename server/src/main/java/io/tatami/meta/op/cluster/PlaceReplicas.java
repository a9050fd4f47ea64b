package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.PlacementRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives a replicated group to further servers that answer, until as many have it as shall: to those that hold the
 * fewest. A server that was given it, has not opened it and was long silent gives its place up to another.
 */
public final class PlaceReplicas implements Operation<ClusterState, PlacementRecord, Empty> {
    private final int founded;

    /** @param founded how many servers were to hold each group when the cluster was founded */
    public PlaceReplicas(int founded) {
        this.founded = founded;
    }

    @Override
    public Empty decide(ClusterState state, RequestContext context, PlacementRecord request) {
        GroupId group = new GroupId(request.getGroup());
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null || known.getReplicaCount() == 0) {
            return Empty.getDefaultInstance();
        }
        int wanted = state.replication(founded).getReplicas();
        List<GroupReplicaRecord> holders = new ArrayList<>(known.getReplicaList());
        holders.removeIf(holder ->
                !holder.getServes() && !MetadataServers.wasHeardLately(request.getHeard(), holder.getServerId()));
        for (MetadataServerRecord candidate : candidates(state, request.getHeard())) {
            boolean isHolder =
                    holders.stream().anyMatch(holder -> holder.getServerId().equals(candidate.getServerId()));
            if (holders.size() < wanted && !isHolder) {
                holders.add(ReplicaSet.replicaOn(candidate).build());
            }
        }
        if (holders.size() >= wanted && !holders.equals(known.getReplicaList())) {
            state.putHost(
                    group,
                    known.toBuilder().clearReplica().addAllReplica(holders).build());
        }
        return Empty.getDefaultInstance();
    }

    private static List<MetadataServerRecord> candidates(ClusterState state, LivingServers heard) {
        MetadataServers servers = new MetadataServers(state);
        List<MetadataServerRecord> candidates = new ArrayList<>();
        for (ClusterState.MetadataServer server : state.metadataServers()) {
            ByteString id = server.record().getServerId();
            if (heard.getLivingList().contains(id) && !server.isRemoved() && servers.mayHold(id)) {
                candidates.add(server.record());
            }
        }
        List<ReplicaSet> groups = state.hosts().stream().map(ReplicaSet::of).toList();
        candidates.sort(Comparator.comparingLong(candidate -> groups.stream()
                .filter(group -> group.isOn(candidate.getServerId()))
                .count()));
        return candidates;
    }
}
