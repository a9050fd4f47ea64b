package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.ReplicaOrders;
import io.tatami.protocol.wire.HandOver;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server that reports is to do: open replicas that were given to it, drop those that others hold in its place,
 * and let those lead that are preferred, where they can. A replica that it once served and does not hold any more is
 * not ordered again: it would come back empty under an id that has acknowledged what was in it.
 */
public final class ReadOrders implements Operation<ClusterState, ReportMetadataServerRequest, ReplicaOrders> {
    @Override
    public ReplicaOrders decide(ClusterState state, RequestContext context, ReportMetadataServerRequest request) {
        ReplicaOrders.Builder orders = ReplicaOrders.newBuilder();
        ClusterState.@Nullable MetadataServer server = state.metadataServer(request.getServerId());
        if (server == null) {
            return orders.build();
        }
        MetadataServerRecord known = server.record();
        if (MetadataServers.isOlder(request.getMarks(), request.getRun(), known)) {
            return orders.setSuperseded(true).build();
        }
        orders.setRemoved(server.isRemoved())
                .setIsNews(request.getMarks() > known.getMarks())
                .setReportSoon(state.replication(1).getUnderWay());
        Map<Integer, HeldReplica> held = new HashMap<>();
        request.getHeldList().forEach(replica -> held.put(replica.getGroup(), replica));
        for (ClusterState.Host host : state.hosts()) {
            ReplicaSet replicas = ReplicaSet.of(host);
            if (replicas.all().isEmpty()) {
                if (host.record().getReplicating()
                        && host.record().getServerId().equals(request.getServerId())) {
                    orders.addReplicateGroup(host.group().value());
                }
            } else {
                add(orders, host, replicas, request, held.get(host.group().value()));
            }
        }
        return orders.build();
    }

    private static void add(
            ReplicaOrders.Builder orders,
            ClusterState.Host host,
            ReplicaSet replicas,
            ReportMetadataServerRequest request,
            @Nullable HeldReplica held) {
        boolean isOpen = held != null && !held.getClosed();
        GroupId group = host.group();
        @Nullable GroupReplicaRecord replica = replicas.of(request.getServerId());
        if (replica == null && held != null) {
            orders.addDropGroup(group.value());
        }
        if (replica != null && !isOpen && !replica.getServes()) {
            orders.addOpenGroup(group.value());
        }
        boolean leads = request.getLedGroupList().contains(group.value());
        if (leads) {
            addPreferred(orders, group, replicas, request.getServerId());
        }
        boolean isNewLeader =
                replica != null && leads && !host.record().getServerId().equals(request.getServerId());
        boolean isNewReplica = replica != null && isOpen && !replica.getServes();
        orders.setIsNews(orders.getIsNews() || isNewLeader || isNewReplica);
    }

    private static void addPreferred(
            ReplicaOrders.Builder orders, GroupId group, ReplicaSet replicas, ByteString leader) {
        @Nullable ByteString preferred = replicas.preferredLeader();
        boolean isSettled = replicas.leaving() == null && replicas.coming() == null;
        if (isSettled && preferred != null && !preferred.equals(leader)) {
            orders.addPreferred(HandOver.newBuilder().setGroup(group.value()).setServerId(preferred));
        }
    }
}
