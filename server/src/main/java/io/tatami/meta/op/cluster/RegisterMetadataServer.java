package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.protocol.wire.RegisterMetadataServerReply;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import java.util.HashSet;
import java.util.Set;

/**
 * Notes where the groups of a metadata server are reached, and gives it shards that nobody has: those it asks for by
 * number, or all. A group that has a host is never given to another, only its address may change.
 */
public final class RegisterMetadataServer
        implements Operation<ClusterState, RegisterMetadataServerRequest, RegisterMetadataServerReply> {
    private final int shards;
    private final ByteString handleKey;

    /** @param handleKey handed to every metadata server */
    public RegisterMetadataServer(int shards, ByteString handleKey) {
        this.shards = shards;
        this.handleKey = handleKey;
    }

    @Override
    public RegisterMetadataServerReply decide(
            ClusterState state, RequestContext context, RegisterMetadataServerRequest request) throws TatamiException {
        Access.requireSuperuser(context.caller(), "add a metadata server");
        GroupHostRecord host = GroupHostRecord.newBuilder()
                .setHost(request.getEndpoint().getHost())
                .setPort(request.getEndpoint().getPort())
                .build();
        Set<GroupId> taken = new HashSet<>();
        for (ClusterState.Host known : state.hosts()) {
            taken.add(known.group());
        }
        RegisterMetadataServerReply.Builder reply =
                RegisterMetadataServerReply.newBuilder().setHandleKey(handleKey);
        for (int group : request.getHostedGroupList()) {
            state.putHost(new GroupId(group), host);
            taken.add(new GroupId(group));
        }
        for (int shard = 0; shard < shards; shard++) {
            boolean wanted =
                    request.getTakeUnassigned() || request.getWantedShardList().contains(shard);
            if (wanted && taken.add(GroupId.ofShard(shard))) {
                state.putHost(GroupId.ofShard(shard), host);
                reply.addAssignedGroup(shard);
            }
        }
        return reply.setMap(context.cluster()).build();
    }
}
