package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The newest cluster map that this process has. Safe for use by many threads. */
public final class ClusterMapHolder {
    private final ClusterMap constants;
    private volatile ClusterMap newest;

    /** When the map was asked for that confirmed the newest one; null where none was. */
    private volatile @Nullable Long askedNanos;

    /** @param constants a map with what never changes: the cluster's id and name and its count of shards */
    public ClusterMapHolder(ClusterMap constants) {
        this.constants = constants;
        this.newest = constants;
    }

    ClusterMap constants() {
        return constants;
    }

    public ClusterMap map() {
        return newest;
    }

    /** Where a metadata server that holds replicas is; the default where the map does not tell. */
    public Endpoint endpoint(ByteString server) {
        for (GroupLocation location : newest.getGroupList()) {
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
        if (map.getEpoch() >= newest.getEpoch()) {
            newest = map;
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
        if (map.getEpoch() >= newest.getEpoch()) {
            newest = map;
        }
    }
}
