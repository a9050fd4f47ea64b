package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.ReplicaMove;
import org.jspecify.annotations.Nullable;

/** Tells which metadata servers there are, what they hold, and what is on its way from one to another. */
public final class ListMetadataServers
        implements Operation<ClusterState, ListMetadataServersRequest, ListMetadataServersReply> {
    private final int founded;
    private final LivingServers heard;

    /**
     * @param founded how many servers were to hold each group when the cluster was founded
     * @param heard of whom the namespace's leader has heard
     */
    public ListMetadataServers(int founded, LivingServers heard) {
        this.founded = founded;
        this.heard = heard;
    }

    @Override
    public ListMetadataServersReply decide(
            ClusterState state, RequestContext context, ListMetadataServersRequest request) {
        int replicas = state.replication(founded).getReplicas();
        ListMetadataServersReply.Builder reply =
                ListMetadataServersReply.newBuilder().setReplicas(replicas);
        for (ClusterState.MetadataServer server : state.metadataServers()) {
            if (!server.isRemoved()) {
                reply.addServer(withAnswers(info(state, server)));
            }
        }
        state.hosts().stream().map(ReplicaSet::of).forEach(group -> addMove(reply, group));
        ReplicaMovePlan.Step next = new ReplicaMovePlan(state, heard).next();
        reply.setSettled(replicas <= 1 || next instanceof ReplicaMovePlan.Step.Rest);
        if (next instanceof ReplicaMovePlan.Step.Wait waits && reply.getMoveCount() == 0) {
            reply.setWaitsFor(waits.what());
        }
        return reply.build();
    }

    /** Who answers this leads the namespace. */
    private MetadataServerInfo withAnswers(MetadataServerInfo info) {
        boolean answers = heard.getLivingList().contains(info.getServerId())
                || info.getLedGroupList().contains(GroupId.NAMESPACE.value());
        return info.toBuilder().setAnswers(answers).build();
    }

    private static void addMove(ListMetadataServersReply.Builder reply, ReplicaSet group) {
        @Nullable GroupReplicaRecord from = group.leaving();
        @Nullable GroupReplicaRecord to = group.coming();
        if (from == null && to == null) {
            return;
        }
        ReplicaMove.Builder move =
                ReplicaMove.newBuilder().setGroup(group.group().value());
        if (from != null) {
            move.setFromServerId(from.getServerId());
        }
        if (to != null) {
            move.setToServerId(to.getServerId());
        }
        reply.addMove(
                move.setStep(to != null && !to.getServes() ? ReplicaMove.Step.OPENING : ReplicaMove.Step.CATCHING_UP));
    }

    /** All but whether it answers. */
    static MetadataServerInfo info(ClusterState state, ClusterState.MetadataServer server) {
        MetadataServerRecord record = server.record();
        ByteString id = record.getServerId();
        MetadataServerInfo.Builder info = MetadataServerInfo.newBuilder()
                .setServerId(id)
                .setState(state(record.getState()))
                .setEndpoint(Endpoint.newBuilder().setHost(record.getHost()).setPort(record.getPort()));
        for (ClusterState.Host host : state.hosts()) {
            boolean leads =
                    host.record().getServes() && host.record().getServerId().equals(id);
            if (leads) {
                info.addLedGroup(host.group().value());
            }
            ReplicaSet replicas = ReplicaSet.of(host);
            if (replicas.isOn(id) || (leads && replicas.all().isEmpty())) {
                info.addHeldGroup(host.group().value());
            }
        }
        return info.build();
    }

    private static MetadataServerInfo.State state(MetadataServerRecord.State state) {
        return switch (state) {
            case SPARE, UNRECOGNIZED -> MetadataServerInfo.State.SPARE;
            case IN_SERVICE -> MetadataServerInfo.State.IN_SERVICE;
            case LEAVING, REMOVED -> MetadataServerInfo.State.LEAVING;
        };
    }
}
