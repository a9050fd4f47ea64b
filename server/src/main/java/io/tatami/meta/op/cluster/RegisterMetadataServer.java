package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.protocol.wire.RegisterMetadataServerReply;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Notes where the groups of a metadata server are reached, and gives it shards that nobody has: those it asks for by
 * number, or all. A group belongs to the server it was given to, by the server's id: another that claims it is refused,
 * and the same one gets it again as often as it asks, until it has said that it serves it. A group that was given and
 * never served has no records yet, and goes to whoever asks for it by number. Of replicated groups
 * {@link ReplicaPlaces} tells who has them; a server for which there is none is a spare one. Who was removed is refused
 * for good, and so is an older copy of a directory.
 */
public final class RegisterMetadataServer
        implements Operation<ClusterState, RegisterMetadataServerRequest, RegisterMetadataServerReply> {
    private final int shards;
    private final ByteString handleKey;
    private final String superuser;
    private final int replicas;

    /**
     * @param handleKey handed to every metadata server
     * @param superuser who formatted the cluster
     * @param replicas how many servers were to hold each group when the cluster was founded; up to 1 for one, with a
     *     local log
     */
    public RegisterMetadataServer(int shards, ByteString handleKey, String superuser, int replicas) {
        this.shards = shards;
        this.handleKey = handleKey;
        this.superuser = superuser;
        this.replicas = replicas;
    }

    @Override
    public RegisterMetadataServerReply decide(
            ClusterState state, RequestContext context, RegisterMetadataServerRequest request) throws TatamiException {
        Access.requireSuperuser(context.caller(), "add a metadata server");
        int wanted = state.replication(replicas).getReplicas();
        RegisterMetadataServerReply.Builder reply = RegisterMetadataServerReply.newBuilder()
                .setHandleKey(handleKey)
                .setSuperuser(superuser)
                .setReplicas(wanted)
                .setMap(context.cluster());
        checkWanted(request);
        MetadataServers servers = new MetadataServers(state);
        servers.requireNotRemoved(request.getServerId());
        if (wanted > 1) {
            servers.requireNewest(request);
        }
        ReplicaPlaces places = new ReplicaPlaces(state, request, wanted);
        for (int number : request.getHostedGroupList()) {
            GroupId group = new GroupId(number);
            if (places.isReplicated(group)) {
                places.serve(group);
            } else {
                serve(state, group, request);
            }
        }
        for (int number = GroupId.NAMESPACE.value(); number < shards; number++) {
            GroupId group = new GroupId(number);
            if (!request.getHostedGroupList().contains(number)
                    && (places.isReplicated(group) ? places.assign(group) : assign(state, group, request))) {
                reply.addAssignedGroup(number);
            }
        }
        boolean hasGroups = request.getHostedGroupCount() + reply.getAssignedGroupCount() > 0;
        if (hasGroups || wanted > 1 || request.hasEndpoint()) {
            servers.note(request, hasGroups);
        }
        return reply.build();
    }

    private void checkWanted(RegisterMetadataServerRequest request) throws TatamiException {
        for (int shard : request.getWantedShardList()) {
            if (shard >= shards) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "there is no shard " + shard + ": the cluster has the shards 0 to " + (shards - 1));
            }
        }
    }

    private static void serve(ClusterState state, GroupId group, RegisterMetadataServerRequest request)
            throws TatamiException {
        @Nullable GroupHostRecord known = state.host(group);
        if (known != null && !known.getServerId().equals(request.getServerId())) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    group + " belongs to another metadata server, "
                            + (known.getServes()
                                    ? "last seen at " + known.getHost() + ":" + known.getPort()
                                    : "which has not started yet")
                            + "; start that server, or start this one with another directory");
        }
        GroupHostRecord record = GroupHostRecord.newBuilder()
                .setHost(request.getEndpoint().getHost())
                .setPort(request.getEndpoint().getPort())
                .setServerId(request.getServerId())
                .setServes(true)
                .build();
        if (!record.equals(known)) {
            state.putHost(group, record);
        }
    }

    private static boolean assign(ClusterState state, GroupId group, RegisterMetadataServerRequest request) {
        @Nullable GroupHostRecord known = state.host(group);
        if (group.isNamespace()) {
            return false;
        }
        boolean byNumber = request.getWantedShardList().contains(group.shard());
        if (known == null ? !byNumber && !request.getTakeUnassigned() : known.getServes()) {
            return false;
        }
        boolean isOurs = known != null && known.getServerId().equals(request.getServerId());
        if (known != null && !isOurs && !byNumber) {
            return false;
        }
        if (!isOurs) {
            state.putHost(
                    group,
                    GroupHostRecord.newBuilder()
                            .setServerId(request.getServerId())
                            .build());
        }
        return true;
    }
}
