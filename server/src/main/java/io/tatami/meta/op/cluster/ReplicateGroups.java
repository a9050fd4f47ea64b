package io.tatami.meta.op.cluster;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.ReplicationProgress;
import io.tatami.meta.state.wire.ReplicationRecord;
import io.tatami.protocol.wire.ReplicateGroupsRequest;
import org.jspecify.annotations.Nullable;

/**
 * Sets how many servers are to hold each group, which is then brought about by itself. Without effect where as many do,
 * or are about to.
 */
public final class ReplicateGroups implements Operation<ClusterState, ReplicateGroupsRequest, ReplicationProgress> {
    /** The most servers that may hold a group. */
    public static final int REPLICAS_MAX = 7;

    private final int shards;
    private final int founded;
    private final LivingServers heard;
    private final ReadReplication progress;

    /**
     * @param founded how many servers were to hold each group when the cluster was founded
     * @param heard of whom the namespace's leader has heard
     */
    public ReplicateGroups(int shards, int founded, LivingServers heard) {
        this.shards = shards;
        this.founded = founded;
        this.heard = heard;
        this.progress = new ReadReplication(shards, founded);
    }

    @Override
    public ReplicationProgress decide(ClusterState state, RequestContext context, ReplicateGroupsRequest request)
            throws TatamiException {
        Access.requireSuperuser(context.caller(), "replicate the metadata");
        int wanted = request.getReplicas();
        int now = state.replication(founded).getReplicas();
        if (wanted != now) {
            checkWanted(wanted, now, servers(state));
            checkServed(state);
            state.setReplication(ReplicationRecord.newBuilder()
                    .setReplicas(wanted)
                    .setUnderWay(true)
                    .build());
        }
        return progress.of(state);
    }

    private static void checkWanted(int wanted, int now, int servers) throws TatamiException {
        if (wanted % 2 == 0 || wanted < 1 || wanted > REPLICAS_MAX) {
            throw refused(wanted + " replicas: the number must be odd, from 3 to " + REPLICAS_MAX);
        }
        if (wanted < now) {
            throw refused("each group already has " + now + " replicas; the number cannot be reduced");
        }
        if (wanted > servers) {
            throw refused(wanted + " replicas of each group need " + wanted + " metadata servers, and " + servers
                    + (servers == 1 ? " answers" : " answer") + "; start more with tatami start metadata --join");
        }
    }

    private int servers(ClusterState state) {
        MetadataServers all = new MetadataServers(state);
        return (int) heard.getLivingList().stream().filter(all::mayHold).count();
    }

    private void checkServed(ClusterState state) throws TatamiException {
        for (int number = GroupId.NAMESPACE.value(); number < shards; number++) {
            @Nullable GroupHostRecord host = state.host(new GroupId(number));
            if (host == null || !host.getServes()) {
                throw refused(new GroupId(number)
                        + " has no metadata server yet; start one for it with tatami start metadata --join");
            }
        }
    }

    private static TatamiException refused(String reason) {
        return new TatamiException(ErrorCode.INVALID_ARGUMENT, reason);
    }
}
