package io.tatami.meta.service.cluster;

import io.tatami.base.GroupId;
import io.tatami.meta.service.GroupPeers;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.TakeClusterMapRequest;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other metadata servers of a new cluster map, so that who changed the cluster finds it changed everywhere. A
 * server that cannot be reached learns the map when it asks for it, before it lets anything change after a start. Safe
 * for use by many threads.
 */
final class MapAnnouncer {
    private static final long TIMEOUT_MILLIS = 2_000;
    private static final Logger LOG = LoggerFactory.getLogger(MapAnnouncer.class);

    private final GroupPeers peers;

    MapAnnouncer(GroupPeers peers) {
        this.peers = peers;
    }

    /** Completes, never exceptionally, when every server has the map or did not take it within two seconds. */
    CompletableFuture<Void> announce(ClusterMap map) {
        Set<Endpoint> others = new LinkedHashSet<>();
        Set<Endpoint> self = new HashSet<>();
        for (GroupLocation location : map.getGroupList()) {
            (location.getGroup() == GroupId.NAMESPACE.value() ? self : others).add(location.getLeader());
            location.getReplicaList().forEach(replica -> others.add(replica.getEndpoint()));
        }
        others.removeAll(self);
        others.remove(Endpoint.getDefaultInstance());
        TakeClusterMapRequest request =
                TakeClusterMapRequest.newBuilder().setMap(map).build();
        return CompletableFuture.allOf(others.stream()
                .map(server -> peers.callMetadataServer(server, MetaMethods.TAKE_CLUSTER_MAP, request, TIMEOUT_MILLIS)
                        .handle((taken, failure) -> noted(server, failure)))
                .toArray(CompletableFuture<?>[]::new));
    }

    private static boolean noted(Endpoint server, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.info(
                    "the metadata server {}:{} did not take the cluster map; it has to ask for it",
                    server.getHost(),
                    server.getPort(),
                    failure);
        }
        return failure == null;
    }
}
