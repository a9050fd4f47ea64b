package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.rpc.MapChanges;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The newest cluster map that this process has. Safe for use by many threads. */
public final class ClusterMapHolder {
    private final ClusterMap constants;
    private volatile Newest newest;

    /** When the map was asked for that confirmed the newest one; null where none was. */
    private volatile @Nullable Long askedNanos;

    /** @param constants a map with what never changes: the cluster's id and name and its count of shards */
    public ClusterMapHolder(ClusterMap constants) {
        this.constants = constants;
        this.newest = new Newest(constants);
    }

    /** A map, and its block servers by their ids. */
    private record Newest(ClusterMap map, Map<Integer, BlockServerInfo> servers) {
        Newest(ClusterMap map) {
            this(
                    map,
                    map.getBlockServerList().stream()
                            .collect(Collectors.toMap(BlockServerInfo::getServerId, info -> info, (one, same) -> one)));
        }
    }

    ClusterMap constants() {
        return constants;
    }

    public ClusterMap map() {
        return newest.map();
    }

    /** What the map tells of a block server; null for one that is not in it. */
    public @Nullable BlockServerInfo blockServer(ServerId server) {
        return newest.servers().get(server.value());
    }

    /** Where a metadata server that holds replicas is; the default where the map does not tell. */
    public Endpoint endpoint(ByteString server) {
        for (GroupLocation location : newest.map().getGroupList()) {
            for (GroupReplica replica : location.getReplicaList()) {
                if (replica.getServerId().equals(server)) {
                    return replica.getEndpoint();
                }
            }
        }
        return Endpoint.getDefaultInstance();
    }

    /**
     * The answer to a question for the map.
     *
     * @param whenAskedNanos monotonic time at which it was asked
     */
    public synchronized void answered(ClusterMap map, long whenAskedNanos) {
        boolean isNewerHere =
                map.getSource() != 0 && map.getSource() == newest.map().getSource();
        if (take(map) || isNewerHere) {
            askedNanos = whenAskedNanos;
        }
    }

    /** How long ago the map was asked for; {@link Long#MAX_VALUE} where it never was. */
    public long ageMillis(long nowNanos) {
        Long asked = askedNanos;
        return asked == null ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.toMillis(nowNanos - asked);
    }

    /** Takes a map unless it is older than the one here. */
    public synchronized void offer(ClusterMap map) {
        boolean unused = take(map);
    }

    private boolean take(ClusterMap map) {
        ClusterMap before = newest.map();
        if (MapChanges.isOlder(map, before)) {
            return false;
        }
        if (map != before) {
            newest = new Newest(map);
        }
        return true;
    }
}
