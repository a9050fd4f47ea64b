package io.tatami.meta.service.cluster;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.meta.gate.BlockServerCredentials;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.servers.NoteBlockServers;
import io.tatami.meta.op.servers.ServerRack;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.NoteBlockServersRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.HeardBlockServer;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespace leader's picture of the cluster: the records of who is a member, and from heartbeats, in memory, who is
 * alive and how much room there is. A new leader learns that anew within a heartbeat, and takes until then what the
 * last map of another has told. A server of which it has no map is stale, not dead, until it was silent here for so
 * long. Safe for use by many threads.
 */
final class ClusterWatch {
    /** A block server that was silent for so long is stale: it gets no new blocks and is read last. */
    static final long STALE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A block server that was silent for so long counts as dead, until it is heard of again. */
    static final long DEAD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);

    private static final BlockServerInfo NEVER_TOLD =
            BlockServerInfo.newBuilder().setState(State.STALE).setSilent(true).build();

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
    private final NoteBlockServers note = new NoteBlockServers();

    /** Guarded by this. */
    private final MapRevisions revisions;

    /** Servers at whose place nobody listens, until they register or are heard of. */
    private final Set<ServerId> ended = ConcurrentHashMap.newKeySet();

    /**
     * Servers whose processes have ended, and in whose place another server runs, until they register or are heard of.
     */
    private final Set<ServerId> replaced = ConcurrentHashMap.newKeySet();

    /** Silent servers that do not keep copies from being made, as their records say. */
    private volatile Set<ServerId> released = Set.of();

    /** Of each server that an administrator has given a rate of copies, as its record says. */
    private volatile Map<ServerId, Long> copyRates = Map.of();

    /** The last heartbeat of a server. */
    private record Sign(HeartbeatRequest heartbeat, long nanos) {}

    /**
     * @param credentials told to each block server with its heartbeats
     * @param source drawn for this leader, not 0
     */
    ClusterWatch(
            Group<ClusterState> group,
            Clock clock,
            ClusterMapHolder maps,
            MapAnnouncer announcer,
            BlockServerCredentials credentials,
            long source) {
        this.announcer = announcer;
        this.credentials = credentials;
        this.group = group;
        this.clock = clock;
        this.maps = maps;
        this.typical = new TypicalAccess(clock);
        this.beganNanos = clock.monotonicNanos();
        this.revisions = new MapRevisions(source);
        maps.map().getBlockServerList().forEach(info -> inherited.put(new ServerId(info.getServerId()), info));
    }

    /** A server that registers is alive, before its first heartbeat. Of its volumes that tells nothing new. */
    void registered(ServerId server) {
        ended.remove(server);
        replaced.remove(server);
        Sign before = signs.get(server);
        long volumes = before == null
                ? inherited.getOrDefault(server, NEVER_TOLD).getVolumes()
                : before.heartbeat().getVolumes();
        signs.put(
                server,
                new Sign(
                        HeartbeatRequest.newBuilder()
                                .setServerId(server.value())
                                .setVolumes(volumes)
                                .build(),
                        clock.monotonicNanos()));
    }

    /** The process of a server that registered last has ended, as nobody listens at its place. */
    void ended(ServerId server) {
        ended.add(server);
    }

    /**
     * Another server was registered: those that were at its place, or ran from its disk, are not there any more, and
     * nothing else is to be awaited of them. They count as dead at once.
     */
    void replacing(ServerId server, RegisterBlockServerRequest request) {
        for (BlockServerInfo info : maps.map().getBlockServerList()) {
            boolean isSamePlace =
                    request.getData().getPort() != 0 && info.getData().equals(request.getData());
            boolean isSameDisk = info.getServerId() == request.getServerId()
                    && info.getIncarnation() != 0
                    && request.getFormerIncarnationList().contains(info.getIncarnation());
            if (info.getServerId() != server.value() && (isSamePlace || isSameDisk)) {
                replaced.add(new ServerId(info.getServerId()));
            }
        }
    }

    /**
     * Whether the process of a server that registered last is away: it has said that it ends, is known to have ended,
     * or was silent for so long that the server is stale, as far as this leader has listened.
     */
    boolean isAway(ServerId server) {
        Sign sign = signs.get(server);
        return ended.contains(server)
                || replaced.contains(server)
                || (sign != null && sign.heartbeat().getLeaving())
                || silentNanos(server) >= STALE_AFTER_NANOS;
    }

    /**
     * The first of a server, the last one, one after a silence, and one after its volumes changed are answered when all
     * metadata servers know. A process that is not the one that registered last has to register again.
     */
    CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
        ServerId server = new ServerId(request.getServerId());
        BlockServerInfo info = maps.blockServer(server);
        if (info == null || !isProcess(info, request.getIncarnation())) {
            return CompletableFuture.completedFuture(
                    HeartbeatReply.newBuilder().setRegisterAgain(true).build());
        }
        ended.remove(server);
        replaced.remove(server);
        @Nullable Sign before = signs.put(server, new Sign(request, clock.monotonicNanos()));
        boolean isNews = before == null
                || before.heartbeat().getCapacityBytes() == 0
                || before.heartbeat().getLeaving() != request.getLeaving()
                || before.heartbeat().getVolumes() != request.getVolumes()
                || clock.monotonicNanos() - before.nanos() >= STALE_AFTER_NANOS;
        return isNews || released.contains(server)
                ? note(request)
                        .thenCompose(noted -> refresh())
                        .thenCompose(map -> announcer.announce(map).thenApply(told -> reply(request, map)))
                : CompletableFuture.completedFuture(reply(request, maps.map()));
    }

    /**
     * Writes down that a process ends, so that its successor need not wait, also for the leader after this; and that a
     * server is back. The answer to the heartbeat does not depend on it.
     */
    private CompletableFuture<?> note(HeartbeatRequest request) {
        boolean isBack = released.contains(new ServerId(request.getServerId()));
        if (!request.getLeaving() && !isBack) {
            return CompletableFuture.completedFuture(null);
        }
        NoteBlockServersRequest.Item item = NoteBlockServersRequest.Item.newBuilder()
                .setServerId(request.getServerId())
                .setIncarnation(request.getIncarnation())
                .setLeft(request.getLeaving() && request.getIncarnation() != 0)
                .setReturned(isBack)
                .build();
        return group.submit(
                        note,
                        RequestOrigin.SERVICE,
                        NoteBlockServersRequest.newBuilder().addItem(item).build())
                .handle((noted, failure) -> {
                    if (failure != null) {
                        LOG.info("what block server {} said is not written down", request.getServerId(), failure);
                    }
                    return noted;
                });
    }

    /** Whether a process is the one that registered last; those of earlier releases have no incarnation. */
    private static boolean isProcess(BlockServerInfo info, long incarnation) {
        return info.getState() != BlockServerInfo.State.GONE
                && (info.getIncarnation() == incarnation || info.getIncarnation() == 0 || incarnation == 0);
    }

    /** Whether a server has been silent for so long that it counts as dead; not known while this is young. */
    boolean isDead(ServerId server) {
        return replaced.contains(server) || silentNanos(server) >= DEAD_AFTER_NANOS;
    }

    /** When servers were heard last; those that were not since this began are not told. */
    List<HeardBlockServer> heard() {
        long nowNanos = clock.monotonicNanos();
        List<HeardBlockServer> heard = new ArrayList<>();
        signs.forEach((server, sign) -> heard.add(HeardBlockServer.newBuilder()
                .setServerId(server.value())
                .setMillisAgo(TimeUnit.NANOSECONDS.toMillis(nowNanos - sign.nanos()))
                .build()));
        return heard;
    }

    /** Since the last sign, or since this began. */
    private long silentNanos(ServerId server) {
        Sign sign = signs.get(server);
        return clock.monotonicNanos() - (sign == null ? beganNanos : sign.nanos());
    }

    /**
     * The list of block servers grows with the cluster, and so would the answers to all servers' heartbeats with its
     * square: none needs the others.
     */
    private HeartbeatReply reply(HeartbeatRequest request, ClusterMap map) {
        HeartbeatReply.Builder reply = HeartbeatReply.newBuilder()
                .setMapEpoch(map.getEpoch())
                .setCopyBytesPerSecond(copyRates.getOrDefault(new ServerId(request.getServerId()), 0L))
                .setTypical(typical.medians(this::heartbeatsOfLiving))
                .setCredential(credentials.of(new ServerId(request.getServerId())));
        if (request.getMapEpoch() < map.getEpoch()) {
            reply.setMap(forBlockServers(map));
        }
        return reply.build();
    }

    /** A map as a block server is told it, which needs the groups alone. */
    static ClusterMap forBlockServers(ClusterMap map) {
        return map.toBuilder()
                .clearBlockServer()
                .clearLeft()
                .clearSource()
                .clearRevision()
                .clearOldestRevision()
                .build();
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

    /** Builds the map anew from the records and the last heartbeats, and makes it the process's. */
    CompletableFuture<ClusterMap> refresh() {
        Operation<ClusterState, Empty, GetClusterMapReply> read = this::read;
        return group.read(read, RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenApply(reply -> {
                    maps.offer(reply.getMap());
                    return reply.getMap();
                });
    }

    /** Alone, so that of two maps the later one has the later heartbeats. */
    private synchronized GetClusterMapReply read(ClusterState state, RequestContext context, Empty request) {
        ClusterMap.Builder map = maps.constants().toBuilder()
                .setEpoch(state.epoch())
                .setSafeMode(state.isSafeMode())
                .setBalancePercent(state.balancePercent());
        for (ClusterState.Host host : state.hosts()) {
            map.addGroup(location(host.group(), host.record()));
        }
        Map<ServerId, Long> rates = new HashMap<>();
        Set<ServerId> releasedNow = new HashSet<>();
        for (ClusterState.Server server : state.servers()) {
            map.addBlockServer(info(server.id(), server.record(), context.nowMillis()));
            if (server.record().getCopyBytesPerSecond() != 0) {
                rates.put(server.id(), server.record().getCopyBytesPerSecond());
            }
            if (server.record().getBrakeReleased()) {
                releasedNow.add(server.id());
            }
        }
        copyRates = Map.copyOf(rates);
        released = Set.copyOf(releasedNow);
        return GetClusterMapReply.newBuilder()
                .setMap(revisions.next(map.build()))
                .build();
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

    private BlockServerInfo info(ServerId server, BlockServerRecord record, long nowMillis) {
        Sign sign = signs.get(server);
        BlockServerInfo.Builder info = BlockServerInfo.newBuilder()
                .setServerId(server.value())
                .setHost(record.getHost())
                .setData(Endpoint.newBuilder().setHost(record.getDataHost()).setPort(record.getDataPort()))
                .setRack(ServerRack.of(record))
                .setRackChanges(record.getRackChanges())
                .setDrained(record.getDrained())
                .setBrakeReleased(record.getBrakeReleased())
                .addAllStorageType(record.getStorageTypeList())
                .setHasCache(record.getHasCache())
                .setIncarnation(record.getIncarnation())
                .setState(state(server, record, nowMillis))
                .setToBeEmptied(record.getState() == State.DRAINING_VALUE)
                .setSilent(isSilent(server));
        if (sign != null) {
            info.setCapacityBytes(sign.heartbeat().getCapacityBytes())
                    .setUsedBytes(sign.heartbeat().getUsedBytes())
                    .setFreeBytes(sign.heartbeat().getFreeBytes())
                    .setVolumes(sign.heartbeat().getVolumes())
                    .setStreams(sign.heartbeat().getQueueDepth());
        } else {
            BlockServerInfo told = inherited.getOrDefault(server, NEVER_TOLD);
            info.setCapacityBytes(told.getCapacityBytes())
                    .setUsedBytes(told.getUsedBytes())
                    .setFreeBytes(told.getFreeBytes())
                    .setVolumes(told.getVolumes());
        }
        return info.build();
    }

    private boolean isSilent(ServerId server) {
        Sign sign = signs.get(server);
        boolean isLeaving = sign == null
                ? inherited.getOrDefault(server, NEVER_TOLD).getSilent()
                : sign.heartbeat().getLeaving();
        return isLeaving || replaced.contains(server) || silentNanos(server) >= STALE_AFTER_NANOS;
    }

    private State state(ServerId server, BlockServerRecord record, long nowMillis) {
        Sign sign = signs.get(server);
        State told = inherited.getOrDefault(server, NEVER_TOLD).getState();
        boolean isLost = replaced.contains(server) || (sign == null && (told == State.DEAD || told == State.GONE));
        boolean isLeaving =
                sign == null ? told == State.STALE : sign.heartbeat().getLeaving();
        return state(record, nowMillis, isLost ? DEAD_AFTER_NANOS : silentNanos(server), isLeaving);
    }

    /**
     * The state that the map tells. A maintenance is told whether the server is there or not; one that is drained and
     * silent is read last as any other.
     *
     * @param nowMillis log time
     * @param silentNanos since the server was heard
     * @param isLeaving it has said last that it ends
     */
    static State state(BlockServerRecord record, long nowMillis, long silentNanos, boolean isLeaving) {
        if (record.getState() == State.GONE_VALUE) {
            return State.GONE;
        }
        if (record.getState() == State.MAINTENANCE_VALUE && nowMillis < record.getMaintenanceUntilMillis()) {
            return State.MAINTENANCE;
        }
        if (silentNanos >= DEAD_AFTER_NANOS) {
            return State.DEAD;
        }
        if (isLeaving || silentNanos >= STALE_AFTER_NANOS) {
            return State.STALE;
        }
        return record.getState() == State.DRAINING_VALUE ? State.DRAINING : State.ACTIVE;
    }
}
