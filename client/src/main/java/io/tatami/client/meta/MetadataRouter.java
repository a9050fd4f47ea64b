package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Knows which server leads which group, by the cluster map that any metadata server gives. Safe for use by many threads;
 * one at a time asks for a newer map while the others wait for it.
 */
public final class MetadataRouter {
    private final Connector connector;
    private final List<InetSocketAddress> seeds;
    private final ReentrantLock refreshing = new ReentrantLock();
    private volatile @Nullable Routes routes;

    /** @param seeds metadata servers to ask first; at least one */
    public MetadataRouter(Connector connector, List<InetSocketAddress> seeds) {
        this.connector = connector;
        this.seeds = List.copyOf(seeds);
    }

    /** The newest map known; {@link #refresh} must have succeeded once. */
    public ClusterMap map() {
        return current().map();
    }

    Routes current() {
        Routes now = routes;
        if (now == null) {
            throw new IllegalStateException("no cluster map was read yet");
        }
        return now;
    }

    /** The address of a group's leader as {@code host:port}; empty where nobody is known to lead it. */
    public String leader(GroupId group) {
        InetSocketAddress leader = current().leader(group);
        return leader == null ? "" : leader.getHostString() + ":" + leader.getPort();
    }

    /** A connection to whoever leads {@code group}; UNAVAILABLE where that is not known. */
    CompletableFuture<Connection> connect(GroupId group) {
        InetSocketAddress leader = current().leader(group);
        if (leader == null) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.UNAVAILABLE, "no metadata server leads " + group));
        }
        return connector.connect(leader);
    }

    /** Learns from a NOT_LEADER reply, whose detail may name the leader. Returns whether it did. */
    boolean learnLeader(GroupId group, String detail) {
        if (detail.isEmpty()) {
            return false;
        }
        try {
            InetSocketAddress leader = MetadataAddress.parse(detail);
            refreshing.lock();
            try {
                boolean isNews = !leader.equals(current().leader(group));
                routes = current().withLeader(group, leader);
                return isNews;
            } finally {
                refreshing.unlock();
            }
        } catch (TatamiException e) {
            throw new IllegalStateException("a server named the leader \"" + detail + "\"", e);
        }
    }

    /** Reads a map, unless another thread did since {@code seen}. */
    void refreshSince(@Nullable Routes seen, Deadline deadline) throws TatamiException {
        refreshing.lock();
        try {
            if (routes == seen) {
                refresh(deadline);
            }
        } finally {
            refreshing.unlock();
        }
    }

    /**
     * Asks the servers known for the map until one answers, for some seconds at most.
     *
     * @throws TatamiException UNAVAILABLE when none does; WRONG_CLUSTER; PROTOCOL_VERSION; UNAUTHENTICATED
     */
    public void refresh(Deadline deadline) throws TatamiException {
        refreshing.lock();
        try {
            take(read(deadline));
        } finally {
            refreshing.unlock();
        }
    }

    private ClusterMap read(Deadline deadline) throws TatamiException {
        try {
            return new MapQuestion(connector, candidates(), deadline).ask();
        } catch (TatamiException e) {
            if (!e.code().isRetryable()) {
                throw e;
            }
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "no metadata server answers at " + addresses() + " (" + e.getMessage()
                            + "). Check the address, and that the server runs: bin/tatami status tatami://"
                            + text(seeds.get(0)),
                    e);
        }
    }

    private void take(ClusterMap map) throws TatamiException {
        Routes known = routes;
        if (known != null && !known.map().getClusterId().equals(map.getClusterId())) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER, "the servers at " + addresses() + " belong to another cluster now");
        }
        boolean isOlder = known != null && map.getEpoch() < known.map().getEpoch();
        routes = isOlder && known != null ? Routes.of(known.map()) : Routes.of(map);
    }

    private Set<InetSocketAddress> candidates() {
        Set<InetSocketAddress> all = new LinkedHashSet<>();
        Routes known = routes;
        if (known != null) {
            all.addAll(known.addresses());
        }
        all.addAll(seeds);
        return all;
    }

    /** For messages. */
    String addresses() {
        return seeds.stream().map(MetadataRouter::text).collect(Collectors.joining(", "));
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}
