package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The way to whoever leads the namespace group: where it was last, else where any metadata server says it is. Looked for
 * anew each time, because it may have moved. Safe for use by many threads.
 */
final class NamespaceLink {
    private static final long MAP_TIMEOUT_MILLIS = 5_000;

    private final Connector connector;
    private final List<InetSocketAddress> seeds;
    private final Supplier<Optional<InetSocketAddress>> last;

    /**
     * @param seeds metadata servers to ask, one after the other
     * @param last where the namespace group was last known to be led
     */
    NamespaceLink(Connector connector, List<InetSocketAddress> seeds, Supplier<Optional<InetSocketAddress>> last) {
        this.connector = connector;
        this.seeds = List.copyOf(seeds);
        this.last = last;
    }

    /** Fails with UNAVAILABLE where no seed answers, or none knows the namespace's leader, or that one does not answer. */
    CompletableFuture<Connection> connect() {
        Optional<InetSocketAddress> address = last.get();
        return address.isEmpty()
                ? connectBy(0, new TatamiException(ErrorCode.UNAVAILABLE, "no metadata server is named to be asked"))
                : connector.connect(address.get()).exceptionallyCompose(failure -> connectBy(0, Causes.of(failure)));
    }

    private CompletableFuture<Connection> connectBy(int seed, TatamiException failure) {
        if (seed == seeds.size()) {
            return CompletableFuture.failedFuture(failure);
        }
        return leader(seeds.get(seed))
                .thenCompose(connector::connect)
                .exceptionallyCompose(next -> connectBy(seed + 1, Causes.of(next)));
    }

    private CompletableFuture<InetSocketAddress> leader(InetSocketAddress seed) {
        CallOptions options = CallOptions.DEFAULT.withTimeoutMillis(MAP_TIMEOUT_MILLIS);
        return connector
                .connect(seed)
                .thenCompose(connection -> connection.call(
                        MetaMethods.GET_CLUSTER_MAP, options, GetClusterMapRequest.getDefaultInstance()))
                .thenCompose(reply -> leader(reply.getMap())
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(() -> CompletableFuture.failedFuture(new TatamiException(
                                ErrorCode.UNAVAILABLE, seed + " does not know who leads the namespace group"))));
    }

    /** The namespace group's leader by a map. */
    static Optional<InetSocketAddress> leader(ClusterMap map) {
        for (GroupLocation location : map.getGroupList()) {
            if (location.getGroup() == GroupId.NAMESPACE.value() && location.hasLeader()) {
                return Optional.of(new InetSocketAddress(
                        location.getLeader().getHost(), location.getLeader().getPort()));
            }
        }
        return Optional.empty();
    }
}
