package io.tatami.meta.service.move;

import io.tatami.base.DirectoryId;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Whether it helps a directory to be divided over more shards: where they are led by more servers than those it has, at
 * once or after it is divided further. More shards of the same servers have more logs to flush, smaller batches, and
 * the same processors. Pure.
 */
final class SpreadChoice {
    private final ClusterMap map;
    private final int shards;

    /** @param shards of the cluster */
    SpreadChoice(ClusterMap map, int shards) {
        this.map = map;
        this.shards = shards;
    }

    /** @param spread of the directory now */
    boolean reachesAnotherServer(DirectoryId directory, int spread) {
        Map<Integer, Endpoint> leaders = new HashMap<>();
        for (GroupLocation location : map.getGroupList()) {
            if (location.hasLeader()) {
                leaders.put(location.getGroup(), location.getLeader());
            }
        }
        int first = Placement.firstShardOf(directory, shards);
        int widest = Integer.highestOneBit(shards);
        Set<Endpoint> now = servers(leaders, first, Math.max(1, spread));
        return servers(leaders, first, widest).size() > now.size();
    }

    private Set<Endpoint> servers(Map<Integer, Endpoint> leaders, int first, int spread) {
        Set<Endpoint> servers = new HashSet<>();
        for (int step = 0; step < spread; step++) {
            Endpoint leader = leaders.get((first + step) % shards);
            if (leader != null) {
                servers.add(leader);
            }
        }
        return servers;
    }
}
