package io.tatami.meta.op.cluster;

import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MembersRecord;
import io.tatami.protocol.wire.Empty;
import org.jspecify.annotations.Nullable;

/** Notes that a group has the members named; one that has changed its place since is to be made a member once more. */
public final class NoteMembers implements Operation<ClusterState, MembersRecord.OfGroup, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, MembersRecord.OfGroup request) {
        GroupId group = new GroupId(request.getGroup());
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null) {
            return Empty.getDefaultInstance();
        }
        GroupHostRecord.Builder record = known.toBuilder();
        for (GroupReplicaRecord.Builder replica : record.getReplicaBuilderList()) {
            if (isAmong(request, replica)) {
                replica.setMember(true);
            }
        }
        if (!record.build().equals(known)) {
            state.putHost(group, record.build());
        }
        return Empty.getDefaultInstance();
    }

    private static boolean isAmong(MembersRecord.OfGroup members, GroupReplicaRecord.Builder replica) {
        return members.getMemberList().stream()
                .anyMatch(member -> member.getServerId().equals(replica.getServerId())
                        && member.getRaftHost().equals(replica.getRaftHost())
                        && member.getRaftPort() == replica.getRaftPort());
    }
}
