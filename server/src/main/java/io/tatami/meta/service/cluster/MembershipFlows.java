package io.tatami.meta.service.cluster;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.cluster.ChangeSafeMode;
import io.tatami.meta.op.cluster.RegisterMetadataServer;
import io.tatami.meta.op.servers.ChangeBlockServer;
import io.tatami.meta.op.servers.RegisterBlockServer;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ChangeBlockServerReply;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.RegisterMetadataServerReply;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.SafeModeReply;
import io.tatami.protocol.wire.SafeModeRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The flows that change the cluster. After each the map is read anew before the answer, so that whoever has the answer
 * finds the change in the map. Safe for use by many threads.
 */
final class MembershipFlows {
    /** How long a server may take to answer that it is there. */
    private static final long PROBE_TIMEOUT_MILLIS = 1_000;

    private final Group<ClusterState> group;
    private final GroupPeers peers;
    private final ClusterWatch watch;
    private final MapAnnouncer announcer;
    private final ServerReports reports;
    private final DrainEnds drains;
    private final RegisterMetadataServer registerMetadata;
    private final RegisterBlockServer registerBlock;
    private final ChangeBlockServer changeBlock;
    private final ChangeSafeMode changeSafeMode = new ChangeSafeMode();

    MembershipFlows(
            Group<ClusterState> group,
            GroupPeers peers,
            ClusterWatch watch,
            MapAnnouncer announcer,
            ServerReports reports,
            DrainEnds drains,
            RegisterMetadataServer registerMetadata) {
        this.group = group;
        this.peers = peers;
        this.watch = watch;
        this.registerBlock = new RegisterBlockServer(watch::isAway);
        this.changeBlock = new ChangeBlockServer(watch::isDead, watch::isAway);
        this.announcer = announcer;
        this.reports = reports;
        this.drains = drains;
        this.registerMetadata = registerMetadata;
    }

    CompletableFuture<RegisterMetadataServerReply> registerMetadataServer(
            RequestOrigin origin, RegisterMetadataServerRequest request) {
        return refuseSecondServer(request)
                .thenCompose(alone -> group.submit(registerMetadata, origin, request))
                .thenCompose(reply -> watch.refresh().thenApply(map -> {
                    var unused = announcer.announce(map);
                    return reply.toBuilder().setMap(map).build();
                }));
    }

    /** Where the process that registered last was heard of lately, it is asked for whether it is gone all the same. */
    CompletableFuture<RegisterBlockServerReply> registerBlockServer(
            RequestOrigin origin, RegisterBlockServerRequest request) {
        return group.submit(registerBlock, origin, request)
                .exceptionallyCompose(failure -> Causes.of(failure).code() == ErrorCode.IN_USE
                        ? noteWhetherGone(new ServerId(request.getServerId()))
                                .thenCompose(noted -> group.submit(registerBlock, origin, request))
                        : CompletableFuture.failedFuture(failure))
                .thenCompose(reply -> {
                    ServerId server = new ServerId(reply.getServerId());
                    watch.registered(server);
                    watch.replacing(server, request);
                    return watch.refresh().thenApply(map -> {
                        var unused = announcer.announce(map);
                        return reply.toBuilder()
                                .setMap(ClusterWatch.forBlockServers(map))
                                .build();
                    });
                });
    }

    /** Where a connection is refused, nobody listens: the process has ended. One that hangs would be connected to. */
    private CompletableFuture<Void> noteWhetherGone(ServerId server) {
        return peers.map().getBlockServerList().stream()
                .filter(info -> info.getServerId() == server.value())
                .findFirst()
                .map(info -> peers.refusesConnections(info.getData()).thenAccept(refused -> {
                    if (refused) {
                        watch.ended(server);
                    }
                }))
                .orElse(CompletableFuture.completedFuture(null));
    }

    /** Answered when all metadata servers that can be reached know: none grants blocks there that are not to be. */
    CompletableFuture<ChangeBlockServerReply> changeBlockServer(
            RequestOrigin origin, ChangeBlockServerRequest request) {
        return requireDrained(request)
                .thenCompose(drained -> group.submit(changeBlock, origin, request))
                .thenCompose(changed -> watch.refresh())
                .thenCompose(map -> announcer
                        .announce(map)
                        .thenApply(told ->
                                ChangeBlockServerReply.newBuilder().setMap(map).build()));
    }

    /** A server is forgotten only if no shard has come to have a block there since its drain has ended. */
    private CompletableFuture<Void> requireDrained(ChangeBlockServerRequest request) {
        ServerId server = new ServerId(request.getServerId());
        boolean isToBeAsked = request.getAction() == ChangeBlockServerRequest.Action.FORGET
                && peers.map().getBlockServerList().stream()
                        .anyMatch(info -> info.getServerId() == request.getServerId() && info.getDrained());
        if (!isToBeAsked) {
            return CompletableFuture.completedFuture(null);
        }
        return drains.isDrained(server)
                .thenCompose(drained -> drained
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(new TatamiException(
                                ErrorCode.IN_USE,
                                "not all shards say that they have no block on block server " + server
                                        + ": wait until 'tatami admin block status' says so")));
    }

    /** Answered when all metadata servers that can be reached know: from then on they refuse, or allow, changes. */
    CompletableFuture<SafeModeReply> safeMode(RequestOrigin origin, SafeModeRequest request) {
        return group.submit(changeSafeMode, origin, request).thenCompose(reply -> switch (request.getAction()) {
            case GET, UNRECOGNIZED -> CompletableFuture.completedFuture(reply);
            case ENTER, LEAVE, FORCE_EXIT ->
                watch.refresh().thenCompose(announcer::announce).thenApply(told -> reply);
        });
    }

    /**
     * Fails with IN_USE where a group that the server says it serves is served at another address too. The server's id
     * does not tell: two servers over copies of one directory have the same.
     */
    private CompletableFuture<Void> refuseSecondServer(RegisterMetadataServerRequest request) {
        CompletableFuture<Void> alone = CompletableFuture.completedFuture(null);
        if (request.hasRaft()) {
            alone = refuseSecondReplica(request);
        }
        if (request.getHostedGroupList().contains(GroupId.NAMESPACE.value())) {
            return alone;
        }
        List<GroupLocation> elsewhere = peers.map().getGroupList().stream()
                .filter(location -> request.getHostedGroupList().contains(location.getGroup()))
                .filter(location -> location.getReplicaCount() == 0
                        && location.hasLeader()
                        && !location.getLeader().equals(request.getEndpoint()))
                .toList();
        for (GroupLocation location : elsewhere) {
            alone = alone.thenCompose(before -> isServed(location))
                    .thenCompose(served -> served
                            ? CompletableFuture.failedFuture(servedElsewhere(location))
                            : CompletableFuture.completedFuture(null));
        }
        return alone;
    }

    /** As {@link #refuseSecondServer} for one that holds replicas: another with its id was heard of and answers. */
    private CompletableFuture<Void> refuseSecondReplica(RegisterMetadataServerRequest request) {
        Endpoint known = reports.endpoint(request.getServerId());
        if (known.equals(request.getEndpoint()) || !reports.isElsewhere(request.getServerId(), request.getEndpoint())) {
            return CompletableFuture.completedFuture(null);
        }
        return peers.callMetadataServer(
                        known,
                        MetaMethods.GET_CLUSTER_MAP,
                        GetClusterMapRequest.getDefaultInstance(),
                        PROBE_TIMEOUT_MILLIS)
                .handle((map, failure) -> failure == null)
                .thenCompose(answers -> answers
                        ? CompletableFuture.failedFuture(new TatamiException(
                                ErrorCode.IN_USE,
                                "the replicas of this directory are already served at " + known.getHost() + ":"
                                        + known.getPort() + "; stop that server first"))
                        : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Boolean> isServed(GroupLocation location) {
        return peers.call(
                        new GroupId(location.getGroup()),
                        MetaMethods.GROUP_STATUS,
                        GroupStatusRequest.getDefaultInstance(),
                        PROBE_TIMEOUT_MILLIS)
                .handle((status, failure) -> failure == null);
    }

    private static TatamiException servedElsewhere(GroupLocation location) {
        return new TatamiException(
                ErrorCode.IN_USE,
                new GroupId(location.getGroup()) + " is already served at "
                        + location.getLeader().getHost() + ":"
                        + location.getLeader().getPort()
                        + "; stop that server first");
    }
}
