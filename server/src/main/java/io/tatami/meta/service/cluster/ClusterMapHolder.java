package io.tatami.meta.service.cluster;

import io.tatami.protocol.wire.ClusterMap;

/** The newest cluster map that this process has. Safe for use by many threads. */
public final class ClusterMapHolder {
    private final ClusterMap constants;
    private volatile ClusterMap newest;

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

    /** Takes a map unless it is older than the one here. */
    public synchronized void offer(ClusterMap map) {
        if (map.getEpoch() >= newest.getEpoch()) {
            newest = map;
        }
    }
}
