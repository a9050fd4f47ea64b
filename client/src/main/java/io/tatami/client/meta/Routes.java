package io.tatami.client.meta;

import io.tatami.base.GroupId;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A cluster map and the leader of each group by it, or by what servers said since. Does not change. */
record Routes(ClusterMap map, Map<GroupId, InetSocketAddress> leaders) {
    static Routes of(ClusterMap map) {
        Map<GroupId, InetSocketAddress> leaders = new HashMap<>();
        for (GroupLocation location : map.getGroupList()) {
            if (location.hasLeader() && location.getLeader().getPort() > 0) {
                leaders.put(new GroupId(location.getGroup()), address(location.getLeader()));
            }
        }
        return new Routes(map, Map.copyOf(leaders));
    }

    Routes withLeader(GroupId group, InetSocketAddress leader) {
        Map<GroupId, InetSocketAddress> changed = new HashMap<>(leaders);
        changed.put(group, leader);
        return new Routes(map, Map.copyOf(changed));
    }

    @Nullable
    InetSocketAddress leader(GroupId group) {
        return leaders.get(group);
    }

    /** Every metadata server that leads something, each once; first the one whose map is always the newest. */
    Set<InetSocketAddress> addresses() {
        Set<InetSocketAddress> all = new LinkedHashSet<>();
        InetSocketAddress namespace = leader(GroupId.NAMESPACE);
        if (namespace != null) {
            all.add(namespace);
        }
        all.addAll(leaders.values());
        return all;
    }

    private static InetSocketAddress address(Endpoint endpoint) {
        return InetSocketAddress.createUnresolved(endpoint.getHost(), endpoint.getPort());
    }
}
