package io.tatami.meta.op.cluster;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MembersRecord;
import io.tatami.protocol.wire.Empty;
import java.util.List;

/** Tells of every replicated group whose members are to be changed who they are to be. */
public final class ReadMembers implements Operation<ClusterState, Empty, MembersRecord> {
    private final int replicas;

    /** @param replicas how many servers were to hold each group when the cluster was founded */
    public ReadMembers(int replicas) {
        this.replicas = replicas;
    }

    @Override
    public MembersRecord decide(ClusterState state, RequestContext context, Empty request) {
        int wanted = state.replication(replicas).getReplicas();
        MembersRecord.Builder all = MembersRecord.newBuilder();
        for (ClusterState.Host host : state.hosts()) {
            List<GroupReplicaRecord> members = ReplicaSet.of(host).membersToBe(wanted);
            if (!members.isEmpty()) {
                all.addGroup(MembersRecord.OfGroup.newBuilder()
                        .setGroup(host.group().value())
                        .addAllMember(members)
                        .setEpoch(state.epoch()));
            }
        }
        return all.build();
    }
}
