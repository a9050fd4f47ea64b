package io.tatami.meta.service.copies;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.cluster.ServersView;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import io.tatami.meta.op.copies.ServersOfMap;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How block servers stand for the copies of blocks, by the cluster map and by how long this process has seen them dead:
 * a new leader begins to count anew, so it has nothing copied by a map that it does not know yet. Safe for use by many
 * threads.
 */
final class ServerStandings {
    private final Clock clock;
    private final Duration lostAfter;
    private final int silentPercentMax;
    private final Map<ServerId, Long> deadSinceNanos = new HashMap<>();

    ServerStandings(Clock clock, Duration lostAfter, int silentPercentMax) {
        this.clock = clock;
        this.lostAfter = lostAfter;
        this.silentPercentMax = silentPercentMax;
    }

    /**
     * The servers at one moment.
     *
     * @param byId all that the map knows
     * @param dead those of them that are dead, for however long
     * @param brake why no copies are made; empty where they are
     */
    record Seen(ServersView view, Map<ServerId, Standing> byId, Set<ServerId> dead, String brake) {
        /** What decides where copies can be: of each server its place, how it stands, and whether it takes copies. */
        Map<ServerId, String> places() {
            Map<ServerId, String> places = new TreeMap<>();
            byId.forEach((id, standing) -> {
                Server server = view.server(id);
                places.put(
                        id,
                        server == null
                                ? standing.toString()
                                : String.join(
                                        " ",
                                        standing.toString(),
                                        server.host(),
                                        server.rack(),
                                        server.takesCopies() ? "open" : "closed"));
            });
            return places;
        }

        /** Servers whose copies are not good. */
        List<ServerId> withoutGoodCopies() {
            List<ServerId> without = new ArrayList<>();
            byId.forEach((server, standing) -> {
                if (standing != Standing.SERVES && standing != Standing.MAINTENANCE) {
                    without.add(server);
                }
            });
            return without;
        }
    }

    synchronized Seen look(ClusterMap map) {
        Map<ServerId, Standing> byId = new TreeMap<>();
        Set<ServerId> dead = new HashSet<>();
        for (BlockServerInfo info : map.getBlockServerList()) {
            ServerId id = new ServerId(info.getServerId());
            if (info.getState() == BlockServerInfo.State.DEAD) {
                dead.add(id);
                deadSinceNanos.putIfAbsent(id, clock.monotonicNanos());
            } else {
                deadSinceNanos.remove(id);
            }
            byId.put(id, ServersOfMap.standing(info, this::isLost));
        }
        deadSinceNanos.keySet().retainAll(byId.keySet());
        String brake = brake(map);
        return new Seen(ServersOfMap.view(map, this::isLost, !brake.isEmpty()), byId, dead, brake);
    }

    /** The servers alone. */
    ServersView view(ClusterMap map) {
        return look(map).view();
    }

    private boolean isLost(ServerId id) {
        Long since = deadSinceNanos.get(id);
        return since != null && clock.monotonicNanos() - since >= lostAfter.toNanos();
    }

    /**
     * Where more than a quarter of the servers are silent, or a whole rack of several, the network is more likely to
     * have failed than so many hosts, and they would come back to copies that nobody needs. Servers that an
     * administrator gives up or has in maintenance do not count, nor those for which the brake was released.
     */
    private String brake(ClusterMap map) {
        int expected = 0;
        List<String> silent = new ArrayList<>();
        Map<String, Integer> byRack = new TreeMap<>();
        Map<String, Integer> silentByRack = new TreeMap<>();
        for (BlockServerInfo info : map.getBlockServerList()) {
            boolean isSilent = isSilent(info.getState()) && !info.getBrakeReleased();
            if (isSilent || isHeard(info.getState())) {
                expected++;
                byRack.merge(info.getRack(), 1, Integer::sum);
            }
            if (isSilent) {
                silent.add(new ServerId(info.getServerId()).toString());
                silentByRack.merge(info.getRack(), 1, Integer::sum);
            }
        }
        boolean rackIsSilent = byRack.size() > 1
                && silentByRack.entrySet().stream()
                        .anyMatch(rack -> rack.getValue() > 1 && rack.getValue().equals(byRack.get(rack.getKey())));
        boolean tooMany = silent.size() > 1 && silent.size() * 100L > (long) silentPercentMax * expected;
        if (silentPercentMax >= 100 || !(tooMany || rackIsSilent)) {
            return "";
        }
        return silent.size() + " of " + expected + " block servers are silent (" + String.join(", ", silent)
                + "): nothing is copied until they are back, or 'tatami admin block release-brake' says that it is to be";
    }

    private static boolean isSilent(BlockServerInfo.State state) {
        return state == BlockServerInfo.State.DEAD || state == BlockServerInfo.State.STALE;
    }

    private static boolean isHeard(BlockServerInfo.State state) {
        return state == BlockServerInfo.State.ACTIVE || state == BlockServerInfo.State.JOINING;
    }
}
