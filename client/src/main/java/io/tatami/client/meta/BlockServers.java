package io.tatami.client.meta;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.LocatedBlock.Holder;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The block servers of the newest cluster map, by id. Safe for use by many threads. */
public final class BlockServers {
    private static final String STORAGE_TYPE_UNKNOWN = "DISK";

    private static final int ABSENT_MAX = 1_024;

    private final MetadataRouter router;
    private final LocalHost localHost;

    /** Servers that a map read for their sake did not list. An id is never given twice. */
    private final Set<ServerId> absent = ConcurrentHashMap.newKeySet();

    private volatile Snapshot snapshot = new Snapshot(null, Map.of(), List.of(), "", false);

    /**
     * @param alive by id
     * @param clientRack this host's; empty where it is not known
     * @param anyOnHost whether a server runs on this host, dead or alive
     */
    private record Snapshot(
            @Nullable ClusterMap map,
            Map<ServerId, BlockServerInfo> byId,
            List<BlockServerInfo> alive,
            String clientRack,
            boolean anyOnHost) {}

    /** How likely a server is to answer, by the map; the best first. */
    enum Health {
        /** It is heard of regularly, and stays. */
        SOUND,
        /** It is to be relieved of its blocks. */
        LEAVING,
        /** This client found it failing; the map does not say so. */
        SUSPECT,
        /** It has missed heartbeats, or may be away for maintenance. */
        STALE,
        /** It is dead, or not in the map. */
        LOST
    }

    /** How far a server is from this client; the nearest first. */
    public enum Distance {
        HOST,
        RACK,
        OTHER_RACK
    }

    public BlockServers(MetadataRouter router, LocalHost localHost) {
        this.router = router;
        this.localHost = localHost;
    }

    /**
     * Where a server's data port is.
     *
     * @throws TatamiException UNAVAILABLE for a server that the cluster does not know, also after asking again
     */
    public BlockTarget target(ServerId server, Deadline deadline) throws TatamiException {
        BlockServerInfo info = byId().get(server);
        if (info == null) {
            router.refresh(deadline);
            info = byId().get(server);
        }
        if (info == null) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the cluster map does not list block server " + server);
        }
        return BlockTarget.of(info);
    }

    /**
     * To be called before servers are tried again: one that was not reached may have started again at another address,
     * and then the map is read anew. Other failures need no newer map. Where no metadata server answers either, as
     * after a restart of all, the map that is known remains.
     */
    public void reconsider(TatamiException failure, Deadline deadline) throws TatamiException {
        if (failure.code() != ErrorCode.UNAVAILABLE) {
            return;
        }
        try {
            router.refreshSince(router.refreshes(), deadline);
        } catch (TatamiException e) {
            if (!e.code().isRetryable()) {
                throw e;
            }
            failure.addSuppressed(e);
        }
    }

    public List<BlockTarget> targets(List<ServerId> servers, Deadline deadline) throws TatamiException {
        List<BlockTarget> targets = new ArrayList<>(servers.size());
        for (ServerId server : servers) {
            targets.add(target(server, deadline));
        }
        return targets;
    }

    /** Servers that are not known to be dead. */
    public List<ServerId> alive() {
        return newest().alive().stream()
                .map(info -> new ServerId(info.getServerId()))
                .toList();
    }

    /** Whether the server has a cache tier, and is not known to be dead. */
    public boolean hasCache(ServerId server) {
        BlockServerInfo info = byId().get(server);
        return info != null && info.getHasCache() && isAlive(info);
    }

    /** Whether the server runs on this host. */
    public boolean isLocal(ServerId server) {
        BlockServerInfo info = byId().get(server);
        return info != null && localHost.isHostOf(info);
    }

    /** Whether the map has a server on this host, as far as that is known without asking a name server. */
    boolean anyOnHost() {
        return newest().anyOnHost;
    }

    /** This host as it calls itself; may be empty. */
    public String readerHost() {
        return localHost.name();
    }

    Health health(ServerId server) {
        BlockServerInfo info = byId().get(server);
        if (info == null) {
            return Health.LOST;
        }
        return switch (info.getState()) {
            case JOINING, ACTIVE -> Health.SOUND;
            case DRAINING -> Health.LEAVING;
            case STALE, MAINTENANCE -> Health.STALE;
            case GONE, DEAD, UNRECOGNIZED -> Health.LOST;
        };
    }

    /** All servers of other hosts are equally far where this client's rack is not known. */
    public Distance distance(ServerId server) {
        Snapshot now = newest();
        BlockServerInfo info = now.byId.get(server);
        if (info == null) {
            return Distance.OTHER_RACK;
        }
        if (localHost.isHostOf(info)) {
            return Distance.HOST;
        }
        boolean isNear = !now.clientRack.isEmpty() && now.clientRack.equals(info.getRack());
        return isNear ? Distance.RACK : Distance.OTHER_RACK;
    }

    /** How many reads and writes a server serves, by the map; 0 for a server that is not in it. */
    int streams(ServerId server) {
        BlockServerInfo info = byId().get(server);
        return info == null ? 0 : info.getStreams();
    }

    /** Where a server's data port is by the map that there is; null for a server that is not in it. */
    public @Nullable BlockTarget knownTarget(ServerId server) {
        BlockServerInfo info = byId().get(server);
        return info == null ? null : BlockTarget.of(info);
    }

    /** This host as the cluster's servers call it, for placement; empty where it has no block server and no name. */
    public String clientHost() {
        for (BlockServerInfo info : byId().values()) {
            if (localHost.isHostOf(info)) {
                return info.getHost();
            }
        }
        return localHost.name();
    }

    /**
     * The blocks of a status that came with locations; of a file stored inline, one that stands for all of it. A server
     * that joined after the map was read is asked for, unless no map has known it; without an answer it has no name.
     */
    public List<LocatedBlock> located(Status status, Deadline deadline) throws TatamiException {
        if (status.getIsInline()) {
            return status.getLength() == 0 ? List.of() : List.of(inlineBlock(status));
        }
        learnServers(status, deadline);
        return status.getBlockList().stream().map(this::located).toList();
    }

    private void learnServers(Status status, Deadline deadline) throws TatamiException {
        Set<ServerId> unknown = unknown(status);
        if (unknown.isEmpty() || absent.containsAll(unknown)) {
            return;
        }
        try {
            router.refreshSince(router.refreshes(), deadline);
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            return;
        }
        if (absent.size() < ABSENT_MAX) {
            absent.addAll(unknown(status));
        }
    }

    private Set<ServerId> unknown(Status status) {
        Map<ServerId, BlockServerInfo> known = byId();
        return status.getBlockList().stream()
                .flatMap(location -> ServerId.listOf(location.getServerIdList()).stream())
                .filter(server -> !known.containsKey(server))
                .collect(Collectors.toSet());
    }

    private LocatedBlock located(BlockLocation location) {
        List<Holder> holders = ServerId.listOf(location.getServerIdList()).stream()
                .map(id -> holder(id, byId().get(id), location))
                .toList();
        return new LocatedBlock(
                new BlockId(location.getBlockId()),
                location.getOffset(),
                location.getLength(),
                holders,
                location.getOpen(),
                location.getUnreadable());
    }

    /**
     * Every host reads it equally well. Schedulers go by names of hosts, so as many as a block would have stand for
     * all, others for each file: or the tasks of all small files would go to the same few.
     */
    private LocatedBlock inlineBlock(Status status) {
        List<BlockServerInfo> alive = newest().alive;
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < Math.min(status.getReplication(), alive.size()); i++) {
            BlockServerInfo info = alive.get(Math.floorMod(Long.hashCode(status.getId()) + i, alive.size()));
            holders.add(holder(new ServerId(info.getServerId()), info));
        }
        return new LocatedBlock(BlockId.NONE, 0, status.getLength(), holders, false, false);
    }

    /** What the shard says of a server may be newer than the map. */
    private static Holder holder(ServerId id, @Nullable BlockServerInfo info, BlockLocation location) {
        Holder holder = holder(id, info);
        boolean bad = location.getBadServerIdList().contains(id.value());
        boolean away = location.getAwayServerIdList().contains(id.value());
        return !bad && !away
                ? holder
                : new Holder(
                        id,
                        holder.host(),
                        holder.port(),
                        holder.rack(),
                        holder.storageType(),
                        holder.alive() && !away,
                        bad);
    }

    private static Holder holder(ServerId id, @Nullable BlockServerInfo info) {
        if (info == null) {
            return new Holder(id, "", 0, "", STORAGE_TYPE_UNKNOWN, false, false);
        }
        String type = info.getStorageTypeCount() == 0 ? STORAGE_TYPE_UNKNOWN : info.getStorageType(0);
        return new Holder(id, info.getHost(), info.getData().getPort(), info.getRack(), type, isAlive(info), false);
    }

    private static boolean isAlive(BlockServerInfo info) {
        return switch (info.getState()) {
            case JOINING, ACTIVE, DRAINING, STALE -> true;
            case MAINTENANCE, GONE, DEAD, UNRECOGNIZED -> false;
        };
    }

    private Map<ServerId, BlockServerInfo> byId() {
        return newest().byId;
    }

    private Snapshot newest() {
        Snapshot now = snapshot;
        ClusterMap map = router.map();
        if (now.map != map) {
            Map<ServerId, BlockServerInfo> fresh = new HashMap<>();
            map.getBlockServerList().forEach(info -> fresh.put(new ServerId(info.getServerId()), info));
            List<BlockServerInfo> alive = fresh.values().stream()
                    .filter(BlockServers::isAlive)
                    .sorted(Comparator.comparingInt(BlockServerInfo::getServerId))
                    .toList();
            boolean anyOnHost = fresh.values().stream().anyMatch(localHost::isPlainlyHostOf);
            now = new Snapshot(map, fresh, alive, localHost.rack(fresh.values()), anyOnHost);
            snapshot = now;
        }
        return now;
    }
}
