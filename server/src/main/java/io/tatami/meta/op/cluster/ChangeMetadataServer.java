package io.tatami.meta.op.cluster;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.MetadataServerRecord.State;
import io.tatami.meta.state.wire.ReplicationRecord;
import io.tatami.protocol.wire.ChangeMetadataServerReply;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import org.jspecify.annotations.Nullable;

/** Has a metadata server take its share of the replicas, or leave; what follows is done in the background. */
public final class ChangeMetadataServer
        implements Operation<ClusterState, ChangeMetadataServerRequest, ChangeMetadataServerReply> {
    private final int founded;

    /** @param founded how many servers were to hold each group when the cluster was founded */
    public ChangeMetadataServer(int founded) {
        this.founded = founded;
    }

    @Override
    public ChangeMetadataServerReply decide(
            ClusterState state, RequestContext context, ChangeMetadataServerRequest request) throws TatamiException {
        Access.requireSuperuser(context.caller(), "add or remove metadata servers");
        MetadataServers servers = new MetadataServers(state);
        ClusterState.MetadataServer server = servers.require(request.getServerId());
        ReplicationRecord replication = state.replication(founded);
        if (replication.getReplicas() <= 1) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "each group of this cluster is on one server and cannot move: first"
                            + " replicate the groups (tatami admin metadata replicate)");
        }
        if (replication.getUnderWay()) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "the groups of this cluster are being replicated on " + replication.getReplicas()
                            + " servers; wait for the end (tatami admin metadata replicate shows the progress)");
        }
        switch (request.getAction()) {
            case ADD -> stay(state, server);
            case REMOVE -> leave(state, server, replication.getReplicas());
            case CANCEL -> cancel(state, server);
            case NONE, UNRECOGNIZED ->
                throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "the request names no change of the server");
        }
        return ChangeMetadataServerReply.newBuilder()
                .setServer(ListMetadataServers.info(state, servers.require(request.getServerId())))
                .build();
    }

    private static void leave(ClusterState state, ClusterState.MetadataServer server, int replicas)
            throws TatamiException {
        long others = state.metadataServers().stream()
                .filter(other -> other.record().getState() == State.IN_SERVICE && other.number() != server.number())
                .count();
        if (others < replicas && isMember(state, server.record())) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "without " + MetadataServers.text(server.record().getServerId()) + " " + others
                            + " metadata servers would remain, and each group has " + replicas
                            + " replicas: first start another with tatami start metadata --join, and add it (tatami admin metadata"
                            + " add)");
        }
        put(state, server, State.LEAVING);
    }

    private static boolean isMember(ClusterState state, MetadataServerRecord server) {
        return state.hosts().stream().map(ReplicaSet::of).anyMatch(group -> {
            @Nullable GroupReplicaRecord replica = group.of(server.getServerId());
            return replica != null && replica.getMember();
        });
    }

    private static void cancel(ClusterState state, ClusterState.MetadataServer server) throws TatamiException {
        if (server.record().getState() != State.LEAVING) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the metadata server "
                            + MetadataServers.text(server.record().getServerId())
                            + " is not leaving, so there is nothing to cancel");
        }
        stay(state, server);
    }

    /** A replica that is on its way from it is kept, too. */
    private static void stay(ClusterState state, ClusterState.MetadataServer server) {
        put(state, server, State.IN_SERVICE);
        for (ClusterState.Host host : state.hosts()) {
            ReplicaSet group = ReplicaSet.of(host);
            @Nullable GroupReplicaRecord leaving = group.leaving();
            boolean isItsMember = leaving != null
                    && leaving.getMember()
                    && leaving.getServerId().equals(server.record().getServerId());
            if (isItsMember && server.record().getState() == State.LEAVING) {
                state.putHost(host.group(), group.turnedRound());
            }
        }
    }

    private static void put(ClusterState state, ClusterState.MetadataServer server, State next) {
        new MetadataServers(state)
                .put(server, server.record().toBuilder().setState(next).build());
    }
}
