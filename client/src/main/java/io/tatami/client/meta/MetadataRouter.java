package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.GroupLeaders;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Knows which server leads which group, by the cluster map that any metadata server gives. Safe for use by many
 * threads; one at a time asks for a newer map while the others wait for it.
 */
public final class MetadataRouter {
    private final Connector connector;
    private final List<InetSocketAddress> seeds;
    private final ReentrantLock refreshing = new ReentrantLock();
    private final GroupLeaders leaders = new GroupLeaders();
    private volatile int refreshes;

    /** @param seeds metadata servers to ask first; at least one */
    public MetadataRouter(Connector connector, List<InetSocketAddress> seeds) {
        this.connector = connector;
        this.seeds = List.copyOf(seeds);
    }

    /** The newest map known; {@link #refresh} must have succeeded once. */
    public ClusterMap map() {
        if (refreshes == 0) {
            throw new IllegalStateException("no cluster map was read yet");
        }
        return leaders.map();
    }

    /** The address of a group's leader as {@code host:port}; empty where nobody is known to lead it. */
    public String leader(GroupId group) {
        InetSocketAddress leader = leaders.leader(group);
        return leader == null ? "" : text(leader);
    }

    /** Where requests for a group are sent now; UNAVAILABLE where no server is known to hold it. */
    InetSocketAddress address(GroupId group) throws TatamiException {
        InetSocketAddress leader = leaders.leader(group);
        if (leader == null) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "no known metadata server leads " + group);
        }
        return leader;
    }

    CompletableFuture<Connection> connect(InetSocketAddress server) {
        return connector.connect(server);
    }

    /** Whether the failure of a request tells where to go on: {@link GroupLeaders#failed}. */
    boolean learn(GroupId group, InetSocketAddress asked, TatamiException failure) {
        return leaders.failed(group, asked, failure);
    }

    /** How often a map was read. */
    int refreshes() {
        return refreshes;
    }

    /** Reads a map, unless another thread did after {@code seen} times. */
    void refreshSince(int seen, Deadline deadline) throws TatamiException {
        deadline.clock().lock(refreshing);
        try {
            if (refreshes == seen) {
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
        deadline.clock().lock(refreshing);
        try {
            take(read(deadline));
        } finally {
            refreshing.unlock();
        }
    }

    private ClusterMap read(Deadline deadline) throws TatamiException {
        try {
            return new MapQuestion(connector, leaders.map(), servers(), deadline).ask();
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

    /** Called by whoever holds {@link #refreshing}. */
    private void take(ClusterMap map) throws TatamiException {
        if (refreshes > 0 && !leaders.map().getClusterId().equals(map.getClusterId())) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    "the servers at " + addresses() + " now belong to another cluster; open a new client");
        }
        leaders.offer(map);
        int times = refreshes;
        refreshes = times + 1;
    }

    /** The metadata servers that hold groups by the newest map, and those that were given to ask first. */
    public Set<InetSocketAddress> servers() {
        Set<InetSocketAddress> all = leaders.servers();
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
