package io.tatami.rpc;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who leads which group: by the cluster map, by what servers said since, and else by trying one replica after the
 * other. Addresses are not looked up. Safe for use by many threads.
 */
public final class GroupLeaders {
    /** Failures after which somebody else may lead. */
    public static final Set<ErrorCode> MAYBE_MOVED =
            Set.of(ErrorCode.NOT_LEADER, ErrorCode.STALE_SHARD_MAP, ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED);

    private volatile Known known = new Known(ClusterMap.getDefaultInstance(), Map.of(), Map.of());

    /**
     * @param servers of each group by the map, its leader first
     * @param tried where the leader is taken to be, other than by the map
     */
    private record Known(
            ClusterMap map, Map<GroupId, List<InetSocketAddress>> servers, Map<GroupId, InetSocketAddress> tried) {
        @Nullable
        InetSocketAddress leader(GroupId group) {
            InetSocketAddress other = tried.get(group);
            List<InetSocketAddress> places = places(group);
            return other != null || places.isEmpty() ? other : places.get(0);
        }

        List<InetSocketAddress> places(GroupId group) {
            return servers.getOrDefault(group, List.of());
        }

        Known trying(GroupId group, InetSocketAddress server) {
            Map<GroupId, InetSocketAddress> others = new HashMap<>(tried);
            others.put(group, server);
            return new Known(map, servers, Map.copyOf(others));
        }
    }

    /** Takes a map, unless one that is newer is known. What was learned since the last change of the map stays. */
    public void offer(ClusterMap map) {
        if (map == known.map()) {
            return;
        }
        synchronized (this) {
            if (MapChanges.isOlder(map, known.map())) {
                return;
            }
            boolean changed = map.getEpoch() > known.map().getEpoch();
            known = new Known(map, servers(map), changed ? Map.of() : known.tried());
        }
    }

    private static Map<GroupId, List<InetSocketAddress>> servers(ClusterMap map) {
        Map<GroupId, List<InetSocketAddress>> servers = new HashMap<>();
        for (GroupLocation location : map.getGroupList()) {
            Set<InetSocketAddress> places = new LinkedHashSet<>();
            if (location.hasLeader() && location.getLeader().getPort() > 0) {
                places.add(address(location.getLeader()));
            }
            for (GroupReplica replica : location.getReplicaList()) {
                places.add(address(replica.getEndpoint()));
            }
            if (!places.isEmpty()) {
                servers.put(new GroupId(location.getGroup()), List.copyOf(places));
            }
        }
        return Map.copyOf(servers);
    }

    /** Takes a server for a group's leader until it is known better: while there is no map. */
    public synchronized void assume(GroupId group, InetSocketAddress server) {
        known = known.trying(group, InetSocketAddress.createUnresolved(server.getHostString(), server.getPort()));
    }

    /** The newest map; an empty one before the first. */
    public ClusterMap map() {
        return known.map();
    }

    /** Where to send a request for the group; null where no server is known to hold it. */
    public @Nullable InetSocketAddress leader(GroupId group) {
        return known.leader(group);
    }

    /** Every metadata server of the map, each once; first those of the namespace group, whose map is the newest. */
    public Set<InetSocketAddress> servers() {
        Known now = known;
        Set<InetSocketAddress> all = new LinkedHashSet<>();
        InetSocketAddress namespace = now.leader(GroupId.NAMESPACE);
        if (namespace != null) {
            all.add(namespace);
        }
        all.addAll(now.places(GroupId.NAMESPACE));
        now.servers().values().forEach(all::addAll);
        return all;
    }

    /**
     * Learns from a refusal, whose detail may name the leader, or from a server that does not answer.
     *
     * @param asked where the request was sent
     * @return whether {@link #leader} is another now, so that it may help to ask at once
     */
    public synchronized boolean failed(GroupId group, InetSocketAddress asked, TatamiException failure) {
        if (!MAYBE_MOVED.contains(failure.code())) {
            return false;
        }
        InetSocketAddress leader = known.leader(group);
        if (!asked.equals(leader)) {
            return leader != null;
        }
        InetSocketAddress named = failure.detail() instanceof Detail.Leader told
                ? InetSocketAddress.createUnresolved(told.host(), told.port())
                : null;
        InetSocketAddress next = named != null && !named.equals(asked) ? named : after(asked, known.places(group));
        if (next == null) {
            return false;
        }
        known = known.trying(group, next);
        return true;
    }

    private static @Nullable InetSocketAddress after(InetSocketAddress asked, List<InetSocketAddress> places) {
        List<InetSocketAddress> others = new ArrayList<>(places);
        int place = others.indexOf(asked);
        others.remove(asked);
        return others.isEmpty() ? null : others.get(place < 0 ? 0 : place % others.size());
    }

    /** The address of an endpoint as messages give it, not looked up. */
    public static InetSocketAddress address(Endpoint endpoint) {
        return InetSocketAddress.createUnresolved(endpoint.getHost(), endpoint.getPort());
    }

    /** An endpoint as {@code host:port}, for people. */
    public static String text(Endpoint endpoint) {
        return endpoint.getHost() + ":" + endpoint.getPort();
    }
}
