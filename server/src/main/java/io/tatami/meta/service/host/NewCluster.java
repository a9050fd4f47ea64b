package io.tatami.meta.service.host;

import io.tatami.base.GroupId;
import io.tatami.meta.op.cluster.ReplicateGroups;
import java.util.ArrayList;
import java.util.List;

/**
 * What to make where the directory is new.
 *
 * @param shards of a new cluster: a power of two up to 256, fixed for its life
 * @param hosted groups of a new cluster that this server hosts, the namespace group among them; the other shards wait
 *     for servers that join
 * @param replicas how many servers are to hold each group: 1, or 3 or more and then all groups are hosted here first
 */
public record NewCluster(int shards, List<GroupId> hosted, int replicas) {
    public NewCluster {
        if (Integer.bitCount(shards) != 1 || shards > GroupId.SHARDS_MAX) {
            throw new IllegalArgumentException(
                    shards + " shards: the number must be a power of two from 1 to " + GroupId.SHARDS_MAX);
        }
        if (replicas % 2 == 0 || replicas < 1 || replicas > ReplicateGroups.REPLICAS_MAX) {
            throw new IllegalArgumentException(
                    replicas + " replicas: the number must be odd, from 1 to " + ReplicateGroups.REPLICAS_MAX);
        }
        if (replicas > 1 && hosted.size() <= shards) {
            throw new IllegalArgumentException(
                    "the first server of a cluster with replicas hosts every group; omit --host-shards");
        }
    }

    /** Each group on one server. */
    public NewCluster(int shards, List<GroupId> hosted) {
        this(shards, hosted, 1);
    }

    /** The same, with each group on several servers. */
    public NewCluster withReplicas(int count) {
        return new NewCluster(shards, hosted, count);
    }

    /** All groups on one server. */
    public static NewCluster onOneServer(int shards) {
        List<GroupId> all = new ArrayList<>();
        all.add(GroupId.NAMESPACE);
        for (int shard = 0; shard < shards; shard++) {
            all.add(GroupId.ofShard(shard));
        }
        return new NewCluster(shards, all);
    }
}
