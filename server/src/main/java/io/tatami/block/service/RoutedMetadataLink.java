package io.tatami.block.service;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reaches each group at the leader that the cluster map names. Where a group does not answer there, or is not in the map
 * yet, the metadata servers known from the configuration and from the map are asked for a newer one, in turn.
 */
public final class RoutedMetadataLink implements MetadataLink {
    private final Connector connector;
    private final List<InetSocketAddress> seeds;
    private final long timeoutMillis;
    private final Map<GroupId, InetSocketAddress> leaders = new ConcurrentHashMap<>();
    private final Set<InetSocketAddress> seen = ConcurrentHashMap.newKeySet();
    private final AtomicInteger nextAsked = new AtomicInteger();

    /**
     * @param connector the caller's to close
     * @param seeds metadata servers, at least one
     */
    public RoutedMetadataLink(Connector connector, List<InetSocketAddress> seeds, long timeoutMillis) {
        this.connector = connector;
        this.seeds = List.copyOf(seeds);
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request) {
        return call(GroupId.NAMESPACE, MetaMethods.REGISTER_BLOCK_SERVER, options(GroupId.NAMESPACE), request);
    }

    @Override
    public CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request, long mapEpoch) {
        CallOptions options = options(GroupId.NAMESPACE).withShardMapEpoch(mapEpoch);
        return call(GroupId.NAMESPACE, MetaMethods.HEARTBEAT, options, request);
    }

    @Override
    public CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request) {
        return call(shard, MetaMethods.GIVE_CREDITS, options(shard), request);
    }

    @Override
    public void use(ClusterMap map) {
        Set<InetSocketAddress> now = new HashSet<>();
        for (GroupLocation location : map.getGroupList()) {
            if (location.hasLeader()) {
                InetSocketAddress leader = new InetSocketAddress(
                        location.getLeader().getHost(), location.getLeader().getPort());
                leaders.put(new GroupId(location.getGroup()), leader);
                now.add(leader);
            }
        }
        seen.addAll(now);
        seen.retainAll(now);
    }

    private CallOptions options(GroupId group) {
        return CallOptions.DEFAULT.withGroup(group).withTimeoutMillis(timeoutMillis);
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId group, Method<Q, R> method, CallOptions options, Q request) {
        return leader(group)
                .thenCompose(address -> connector
                        .connect(address)
                        .thenCompose(connection -> connection.call(method, options, request))
                        .whenComplete((reply, failure) -> {
                            if (failure != null && isElsewhere(failure)) {
                                leaders.remove(group, address);
                            }
                        }));
    }

    private CompletableFuture<InetSocketAddress> leader(GroupId group) {
        InetSocketAddress known = leaders.get(group);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        InetSocketAddress asked = nextAsked();
        CallOptions options = CallOptions.DEFAULT.withTimeoutMillis(timeoutMillis);
        return connector
                .connect(asked)
                .thenCompose(connection -> connection.call(
                        MetaMethods.GET_CLUSTER_MAP, options, GetClusterMapRequest.getDefaultInstance()))
                .thenCompose(reply -> {
                    use(reply.getMap());
                    InetSocketAddress leader = leaders.get(group);
                    return leader == null
                            ? CompletableFuture.failedFuture(new TatamiException(
                                    ErrorCode.UNAVAILABLE, asked + " does not know who leads " + group))
                            : CompletableFuture.completedFuture(leader);
                });
    }

    private InetSocketAddress nextAsked() {
        List<InetSocketAddress> all = new ArrayList<>(seeds);
        seen.stream().filter(address -> !seeds.contains(address)).forEach(all::add);
        return all.get(Math.floorMod(nextAsked.getAndIncrement(), all.size()));
    }

    private static boolean isElsewhere(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof TatamiException e
                && (e.code() == ErrorCode.NOT_LEADER || e.code() == ErrorCode.UNAVAILABLE);
    }
}
