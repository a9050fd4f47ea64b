package io.tatami.meta.op.copies;

import io.tatami.base.ServerId;
import io.tatami.cluster.ServersView;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The block servers of a cluster map as the copies of blocks are judged by them. */
public final class ServersOfMap {
    private ServersOfMap() {}

    /** The servers by what a map says alone, which does not tell how long a dead server is so: it may come back. */
    public static ServersView view(ClusterMap map) {
        return view(map, server -> false, false);
    }

    /**
     * The servers of a map, without those that an administrator has given up.
     *
     * @param isLost whether a server that is dead has been so for so long that its blocks are copied
     */
    public static ServersView view(ClusterMap map, Predicate<ServerId> isLost, boolean braked) {
        List<Server> servers = new ArrayList<>(map.getBlockServerCount());
        for (BlockServerInfo info : map.getBlockServerList()) {
            if (info.getState() != BlockServerInfo.State.GONE) {
                servers.add(server(info, standing(info, isLost)));
            }
        }
        return new ServersView(servers, braked);
    }

    /** How one server stands. */
    public static Standing standing(BlockServerInfo info, Predicate<ServerId> isLost) {
        return switch (info.getState()) {
            case JOINING, ACTIVE, STALE -> info.getToBeEmptied() ? Standing.DRAINING : Standing.SERVES;
            case DRAINING -> Standing.DRAINING;
            case MAINTENANCE -> info.getSilent() ? Standing.AWAY : Standing.MAINTENANCE;
            case DEAD -> isLost.test(new ServerId(info.getServerId())) ? Standing.LOST : Standing.SILENT;
            case GONE, UNRECOGNIZED -> Standing.LOST;
        };
    }

    /** A server that is silent for some seconds has good copies, and no room for others. */
    private static Server server(BlockServerInfo info, Standing standing) {
        boolean isStale = info.getState() == BlockServerInfo.State.STALE;
        return new Server(
                new ServerId(info.getServerId()),
                info.getHost(),
                info.getRack(),
                standing,
                isStale ? 0 : info.getCapacityBytes(),
                isStale ? 0 : info.getUsedBytes(),
                info.getToBeEmptied() || standing == Standing.DRAINING);
    }
}
