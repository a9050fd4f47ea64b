package io.tatami.meta.op.cluster;

import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Notes which of the replicas that were given to a server it has opened, and which groups it leads of those that it
 * holds.
 */
public final class NoteReport implements Operation<ClusterState, ReportMetadataServerRequest, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, ReportMetadataServerRequest request) {
        ClusterState.@Nullable MetadataServer server = state.metadataServer(request.getServerId());
        if (server == null || MetadataServers.isOlder(request.getMarks(), request.getRun(), server.record())) {
            return Empty.getDefaultInstance();
        }
        new MetadataServers(state)
                .put(
                        server,
                        server.record().toBuilder()
                                .setMarks(request.getMarks())
                                .setRun(request.getRun())
                                .build());
        for (HeldReplica held : request.getHeldList()) {
            // Where the others reach its replicas it says as it registers, which it does again with its first one.
            if (!held.getClosed() && server.record().getRaftPort() != 0) {
                serves(state, new GroupId(held.getGroup()), server.record());
            }
        }
        for (int number : request.getLedGroupList()) {
            leads(state, new GroupId(number), request);
        }
        return Empty.getDefaultInstance();
    }

    private static void serves(ClusterState state, GroupId group, MetadataServerRecord server) {
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null) {
            return;
        }
        GroupHostRecord.Builder record = known.toBuilder();
        for (GroupReplicaRecord.Builder replica : record.getReplicaBuilderList()) {
            if (replica.getServerId().equals(server.getServerId()) && !replica.getServes()) {
                // The server may have moved since it was given the replica.
                replica.setServes(true)
                        .setHost(server.getHost())
                        .setPort(server.getPort())
                        .setRaftHost(server.getRaftHost())
                        .setRaftPort(server.getRaftPort());
                state.putHost(group, record.build());
            }
        }
    }

    private static void leads(ClusterState state, GroupId group, ReportMetadataServerRequest request) {
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null || known.getServerId().equals(request.getServerId())) {
            return;
        }
        for (GroupReplicaRecord replica : known.getReplicaList()) {
            if (replica.getServerId().equals(request.getServerId())) {
                state.putHost(
                        group, ReplicaPlaces.leading(known.toBuilder(), replica).build());
            }
        }
    }
}
