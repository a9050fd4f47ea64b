package io.tatami.meta.service.cluster;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.meta.gate.BlockServerCredentials;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The namespace leader's picture of the cluster: the records of who is a member, and from heartbeats, in memory, who is
 * alive and how much room there is. A new leader learns that anew within a heartbeat, and takes until then what the
 * last map of another has told. Safe for use by many threads.
 */
final class ClusterWatch {
    /** A block server that was silent for so long is read last and gets no new blocks, until it is heard of again. */
    static final long STALE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A block server that was silent for so long counts as dead, until it is heard of again. */
    static final long DEAD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Group<ClusterState> group;
    private final Clock clock;
    private final ClusterMapHolder maps;
    private final MapAnnouncer announcer;
    private final BlockServerCredentials credentials;
    private final TypicalAccess typical;
    private final Map<ServerId, Sign> signs = new ConcurrentHashMap<>();

    /** What the leader before told of servers, until they have been silent for long enough here. */
    private final Map<ServerId, BlockServerInfo> inherited = new HashMap<>();

    private final long beganNanos;

    /** The last heartbeat of a server. */
    private record Sign(HeartbeatRequest heartbeat, long nanos) {}

    /** @param credentials told to each block server with its heartbeats */
    ClusterWatch(
            Group<ClusterState> group,
            Clock clock,
            ClusterMapHolder maps,
            MapAnnouncer announcer,
            BlockServerCredentials credentials) {
        this.announcer = announcer;
        this.credentials = credentials;
        this.group = group;
        this.clock = clock;
        this.maps = maps;
        this.typical = new TypicalAccess(clock);
        this.beganNanos = clock.monotonicNanos();
        maps.map().getBlockServerList().forEach(info -> inherited.put(new ServerId(info.getServerId()), info));
    }

    /** A server that registers is alive, before its first heartbeat. */
    void registered(ServerId server) {
        signs.put(
                server,
                new Sign(
                        HeartbeatRequest.newBuilder()
                                .setServerId(server.value())
                                .build(),
                        clock.monotonicNanos()));
    }

    /** The first of a server is answered when all metadata servers know what room it has. */
    CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
        ServerId server = new ServerId(request.getServerId());
        boolean known =
                maps.map().getBlockServerList().stream().anyMatch(info -> info.getServerId() == request.getServerId());
        if (!known) {
            return CompletableFuture.completedFuture(
                    HeartbeatReply.newBuilder().setRegisterAgain(true).build());
        }
        @Nullable Sign before = signs.put(server, new Sign(request, clock.monotonicNanos()));
        boolean isFirst = before == null || before.heartbeat().getCapacityBytes() == 0;
        return isFirst
                ? refresh().thenCompose(map -> announcer.announce(map).thenApply(told -> reply(request, map)))
                : CompletableFuture.completedFuture(reply(request, maps.map()));
    }

    /** The map grows with the cluster, and so would the answers to all servers' heartbeats with its square. */
    private HeartbeatReply reply(HeartbeatRequest request, ClusterMap map) {
        HeartbeatReply.Builder reply = HeartbeatReply.newBuilder()
                .setMapEpoch(map.getEpoch())
                .setTypical(typical.medians(this::heartbeatsOfLiving))
                .setCredential(credentials.of(new ServerId(request.getServerId())));
        if (request.getMapEpoch() < map.getEpoch()) {
            reply.setMap(map);
        }
        return reply.build();
    }

    private List<HeartbeatRequest> heartbeatsOfLiving() {
        return signs.values().stream()
                .filter(this::isAlive)
                .map(Sign::heartbeat)
                .toList();
    }

    private boolean isAlive(Sign sign) {
        return clock.monotonicNanos() - sign.nanos() < DEAD_AFTER_NANOS;
    }

    private BlockServerInfo.State state(Sign sign) {
        if (!isAlive(sign)) {
            return BlockServerInfo.State.DEAD;
        }
        boolean isSilent = clock.monotonicNanos() - sign.nanos() >= STALE_AFTER_NANOS;
        return isSilent ? BlockServerInfo.State.STALE : BlockServerInfo.State.ACTIVE;
    }

    /** Builds the map anew from the records and the last heartbeats, and makes it the process's. */
    CompletableFuture<ClusterMap> refresh() {
        Operation<ClusterState, Empty, GetClusterMapReply> read = this::read;
        return group.read(read, RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenApply(reply -> {
                    maps.offer(reply.getMap());
                    return reply.getMap();
                });
    }

    private GetClusterMapReply read(ClusterState state, RequestContext context, Empty request) {
        ClusterMap.Builder map =
                maps.constants().toBuilder().setEpoch(state.epoch()).setSafeMode(state.isSafeMode());
        for (ClusterState.Host host : state.hosts()) {
            map.addGroup(location(host.group(), host.record()));
        }
        for (ClusterState.Server server : state.servers()) {
            map.addBlockServer(info(server.id(), server.record()));
        }
        return GetClusterMapReply.newBuilder().setMap(map).build();
    }

    private static GroupLocation location(GroupId group, GroupHostRecord host) {
        GroupLocation.Builder location = GroupLocation.newBuilder().setGroup(group.value());
        if (host.getServes()) {
            location.setLeader(Endpoint.newBuilder().setHost(host.getHost()).setPort(host.getPort()));
        }
        for (GroupReplicaRecord replica : host.getReplicaList()) {
            if (replica.getServes()) {
                location.addReplica(replica(replica));
            }
        }
        return location.build();
    }

    static GroupReplica replica(GroupReplicaRecord record) {
        return GroupReplica.newBuilder()
                .setServerId(record.getServerId())
                .setMember(record.getMember())
                .setEndpoint(Endpoint.newBuilder().setHost(record.getHost()).setPort(record.getPort()))
                .setRaft(Endpoint.newBuilder().setHost(record.getRaftHost()).setPort(record.getRaftPort()))
                .build();
    }

    private BlockServerInfo info(ServerId server, BlockServerRecord record) {
        Sign sign = signs.get(server);
        if (sign == null && clock.monotonicNanos() - beganNanos < DEAD_AFTER_NANOS && inherited.containsKey(server)) {
            return inherited.get(server);
        }
        BlockServerInfo.Builder info = BlockServerInfo.newBuilder()
                .setServerId(server.value())
                .setHost(record.getHost())
                .setData(Endpoint.newBuilder().setHost(record.getDataHost()).setPort(record.getDataPort()))
                .setRack(record.getRack())
                .addAllStorageType(record.getStorageTypeList())
                .setHasCache(record.getHasCache())
                .setState(sign == null ? BlockServerInfo.State.DEAD : state(sign));
        if (sign != null) {
            info.setCapacityBytes(sign.heartbeat().getCapacityBytes())
                    .setUsedBytes(sign.heartbeat().getUsedBytes())
                    .setFreeBytes(sign.heartbeat().getFreeBytes());
        }
        return info.build();
    }
}
