package io.tatami.rpc;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapReply;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The way of a server to groups, each at its leader. Where that is not known, or was not where it was thought, the
 * metadata servers known from the configuration and from the map are asked for a newer map, in turn; where a refusal
 * names the leader, or another server has the group, that one is asked at once. Safe for use by many threads.
 */
public final class GroupRoutes {
    /** How many servers one call is sent to: as many as hold a group, and once more to whom one of them names. */
    private static final int SERVERS_MAX = 4;

    private final Connector connector;
    private final GroupLeaders leaders;
    private final Supplier<List<InetSocketAddress>> seeds;
    private final long mapTimeoutMillis;
    private final Set<GroupId> doubted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger nextAsked = new AtomicInteger();

    /**
     * @param connector the caller's to close
     * @param leaders may be shared with others
     * @param seeds metadata servers to ask while no map is known
     */
    public GroupRoutes(
            Connector connector, GroupLeaders leaders, Supplier<List<InetSocketAddress>> seeds, long mapTimeoutMillis) {
        this.connector = connector;
        this.leaders = leaders;
        this.seeds = seeds;
        this.mapTimeoutMillis = mapTimeoutMillis;
    }

    /**
     * Calls the leader of a group. Fails as the leader refuses, and with UNAVAILABLE or NOT_LEADER where it was not
     * found; a later call may find it.
     *
     * @param method may be done twice: it is idempotent
     */
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId group, Method<Q, R> method, CallOptions options, Q request) {
        return leader(group)
                .thenCompose(server -> call(server, group, method, options.withGroup(group), request, SERVERS_MAX));
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> call(
            InetSocketAddress server, GroupId group, Method<Q, R> method, CallOptions options, Q request, int left) {
        return connector
                .connect(server)
                .thenCompose(connection -> connection.call(method, options, request))
                .exceptionallyCompose(thrown -> {
                    if (Causes.unwrapped(thrown) instanceof TatamiException failure) {
                        boolean isElsewhere = leaders.failed(group, server, failure);
                        InetSocketAddress next = leaders.leader(group);
                        if (isElsewhere && next != null && left > 1) {
                            return call(next, group, method, options, request, left - 1);
                        }
                        if (GroupLeaders.MAYBE_MOVED.contains(failure.code())) {
                            doubted.add(group);
                        }
                    }
                    return CompletableFuture.failedFuture(thrown);
                });
    }

    /** The map of the first metadata server that answers. */
    public CompletableFuture<ClusterMap> askForMap() {
        List<InetSocketAddress> all = places();
        return all.isEmpty()
                ? CompletableFuture.failedFuture(
                        new TatamiException(ErrorCode.UNAVAILABLE, "no address of a metadata server is configured"))
                : askForMap(all, Math.floorMod(nextAsked.getAndIncrement(), all.size()), all.size());
    }

    private List<InetSocketAddress> places() {
        Set<InetSocketAddress> all = leaders.servers();
        all.addAll(seeds.get());
        return List.copyOf(all);
    }

    private CompletableFuture<ClusterMap> askForMap(List<InetSocketAddress> all, int place, int left) {
        CallOptions options = CallOptions.DEFAULT.withTimeoutMillis(mapTimeoutMillis);
        ClusterMap known = leaders.map();
        return connector
                .connect(all.get(place))
                .thenCompose(
                        connection -> connection.call(MetaMethods.GET_CLUSTER_MAP, options, MapChanges.question(known)))
                .thenApply(reply -> {
                    ClusterMap map = read(known, reply);
                    leaders.offer(map);
                    return map;
                })
                .exceptionallyCompose(thrown -> left > 1
                        ? askForMap(all, (place + 1) % all.size(), left - 1)
                        : CompletableFuture.failedFuture(thrown));
    }

    private static ClusterMap read(ClusterMap known, GetClusterMapReply reply) {
        try {
            return MapChanges.read(known, reply);
        } catch (TatamiException e) {
            throw new CompletionException(e);
        }
    }

    private CompletableFuture<InetSocketAddress> leader(GroupId group) {
        InetSocketAddress known = leaders.leader(group);
        if (known != null && !doubted.remove(group)) {
            return CompletableFuture.completedFuture(known);
        }
        return askForMap().thenApply(map -> {
            InetSocketAddress leader = leaders.leader(group);
            if (leader == null) {
                throw new CompletionException(
                        new TatamiException(ErrorCode.UNAVAILABLE, "no known metadata server leads " + group));
            }
            return leader;
        });
    }
}
