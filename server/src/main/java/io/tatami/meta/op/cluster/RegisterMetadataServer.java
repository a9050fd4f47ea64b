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
 * never served has no records yet, and goes to whoever asks for it by number. Of replicated groups {@link ReplicaPlaces}
 * tells who has them; a server for which there is none is a spare one. Who was removed is refused for good,
 * and so is an older copy of a directory.
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
     * @param replicas how many servers are to hold each group; up to 1 for one, with a local log
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
        RegisterMetadataServerReply.Builder reply = RegisterMetadataServerReply.newBuilder()
                .setHandleKey(handleKey)
                .setSuperuser(superuser)
                .setReplicas(replicas)
                .setMap(context.cluster());
        checkWanted(request);
        MetadataServers servers = new MetadataServers(state);
        servers.requireNotRemoved(request.getServerId());
        if (replicas > 1) {
            servers.requireNewest(request);
            var unused = new ReplicaPlaces(state, request, replicas).registered(shards, reply);
        } else {
            giveShards(state, request, reply);
        }
        boolean hasGroups = request.getHostedGroupCount() + reply.getAssignedGroupCount() > 0;
        if (hasGroups || replicas > 1) {
            servers.note(request, hasGroups);
        }
        return reply.build();
    }

    private void giveShards(
            ClusterState state, RegisterMetadataServerRequest request, RegisterMetadataServerReply.Builder reply)
            throws TatamiException {
        for (int group : request.getHostedGroupList()) {
            serve(state, new GroupId(group), request);
        }
        for (int shard = 0; shard < shards; shard++) {
            if (!request.getHostedGroupList().contains(shard) && assign(state, shard, request)) {
                reply.addAssignedGroup(shard);
            }
        }
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
                                    : "which was given it and has not served it yet")
                            + "; start that one, or this one with a directory of its own");
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

    private static boolean assign(ClusterState state, int shard, RegisterMetadataServerRequest request) {
        GroupId group = GroupId.ofShard(shard);
        @Nullable GroupHostRecord known = state.host(group);
        boolean byNumber = request.getWantedShardList().contains(shard);
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
