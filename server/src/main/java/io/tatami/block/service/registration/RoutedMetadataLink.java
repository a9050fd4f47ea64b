package io.tatami.block.service.registration;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reaches each group at its leader, wherever that is. */
public final class RoutedMetadataLink implements MetadataLink {
    private final GroupLeaders leaders = new GroupLeaders();
    private final GroupRoutes routes;
    private final long timeoutMillis;

    /**
     * @param connector the caller's to close
     * @param seeds metadata servers, at least one
     */
    public RoutedMetadataLink(Connector connector, List<InetSocketAddress> seeds, long timeoutMillis) {
        this.routes = new GroupRoutes(connector, leaders, () -> seeds, timeoutMillis);
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request) {
        return call(GroupId.NAMESPACE, MetaMethods.REGISTER_BLOCK_SERVER, request);
    }

    @Override
    public CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
        return call(GroupId.NAMESPACE, MetaMethods.HEARTBEAT, request);
    }

    @Override
    public CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request) {
        return call(shard, MetaMethods.GIVE_CREDITS, request);
    }

    @Override
    public CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request) {
        return call(shard, MetaMethods.DAMAGED_COPIES, request);
    }

    @Override
    public CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request) {
        return call(shard, MetaMethods.COPIES_MADE, request);
    }

    @Override
    public void use(ClusterMap map) {
        leaders.offer(map);
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId group, Method<Q, R> method, Q request) {
        return routes.call(group, method, CallOptions.DEFAULT.withTimeoutMillis(timeoutMillis), request);
    }
}
