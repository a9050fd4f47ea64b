package io.tatami.meta.op.cluster;

import com.google.protobuf.Empty;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.ReplicationProgress;
import io.tatami.meta.state.wire.ReplicationRecord;
import org.jspecify.annotations.Nullable;

/**
 * Tells how many groups have as many members as they shall, and which is next: shards by their numbers, and the
 * namespace group last, because who brings the others there is its leader.
 */
public final class ReadReplication implements Operation<ClusterState, Empty, ReplicationProgress> {
    private final int shards;
    private final int founded;

    /** @param founded how many servers were to hold each group when the cluster was founded */
    public ReadReplication(int shards, int founded) {
        this.shards = shards;
        this.founded = founded;
    }

    @Override
    public ReplicationProgress decide(ClusterState state, RequestContext context, Empty request) {
        return of(state);
    }

    ReplicationProgress of(ClusterState state) {
        ReplicationRecord goal = state.replication(founded);
        ReplicationProgress.Builder progress =
                ReplicationProgress.newBuilder().setGoal(goal).setGroupsTotal(shards + 1);
        for (int shard = 0; shard < shards; shard++) {
            count(state, GroupId.ofShard(shard), progress);
        }
        count(state, GroupId.NAMESPACE, progress);
        return progress.build();
    }

    private static void count(ClusterState state, GroupId group, ReplicationProgress.Builder progress) {
        @Nullable GroupHostRecord host = state.host(group);
        int replicas = progress.getGoal().getReplicas();
        if (host != null && isDone(host, replicas)) {
            progress.setGroupsDone(progress.getGroupsDone() + 1);
        } else if (!progress.hasNext() && host != null) {
            progress.setNextGroup(group.value()).setNext(host);
        }
    }

    private static boolean isDone(GroupHostRecord host, int replicas) {
        return replicas == 1
                ? host.getServes()
                : host.getReplicaList().stream()
                                .filter(GroupReplicaRecord::getMember)
                                .count()
                        >= replicas;
    }
}
