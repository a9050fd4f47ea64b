package io.tatami.meta.service.cluster;

import io.tatami.base.GroupId;
import io.tatami.meta.service.Peers;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.TakeClusterMapRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other metadata servers of a new cluster map, so that who changed the cluster finds it changed everywhere. A
 * server that cannot be reached learns the map when it asks for it, before it lets anything change after a start. Safe for
 * use by many threads.
 */
final class MapAnnouncer {
    private static final long TIMEOUT_MILLIS = 2_000;
    private static final Logger LOG = LoggerFactory.getLogger(MapAnnouncer.class);

    private final Peers peers;

    MapAnnouncer(Peers peers) {
        this.peers = peers;
    }

    /** Completes, never exceptionally, when every server has the map or did not take it within two seconds. */
    CompletableFuture<Void> announce(ClusterMap map) {
        Set<Endpoint> told = new HashSet<>();
        List<GroupId> oneOfEach = new ArrayList<>();
        for (GroupLocation location : map.getGroupList()) {
            if (location.getGroup() == GroupId.NAMESPACE.value()) {
                told.add(location.getLeader());
            }
        }
        for (GroupLocation location : map.getGroupList()) {
            if (location.hasLeader() && told.add(location.getLeader())) {
                oneOfEach.add(new GroupId(location.getGroup()));
            }
        }
        TakeClusterMapRequest request =
                TakeClusterMapRequest.newBuilder().setMap(map).build();
        return CompletableFuture.allOf(oneOfEach.stream()
                .map(group -> peers.call(group, MetaMethods.TAKE_CLUSTER_MAP, request, TIMEOUT_MILLIS)
                        .handle((taken, failure) -> noted(group, failure)))
                .toArray(CompletableFuture<?>[]::new));
    }

    private static boolean noted(GroupId group, @org.jspecify.annotations.Nullable Throwable failure) {
        if (failure != null) {
            LOG.info("the server of {} did not take the cluster map; it has to ask for it", group, failure);
        }
        return failure == null;
    }
}
