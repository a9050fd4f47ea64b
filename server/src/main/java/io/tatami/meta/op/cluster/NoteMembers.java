package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MembersRecord;
import io.tatami.protocol.wire.Empty;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notes that a group has the members named, and no others: replicas that were leaving are its no more. Without effect
 * where others are to be its members by now. One that has changed its place since is to be made a member once more.
 */
public final class NoteMembers implements Operation<ClusterState, MembersRecord.OfGroup, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, MembersRecord.OfGroup request) {
        GroupId group = new GroupId(request.getGroup());
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null || !areToStay(request, known)) {
            return Empty.getDefaultInstance();
        }
        GroupHostRecord.Builder record = known.toBuilder().clearReplica();
        for (GroupReplicaRecord replica : new ReplicaSet(group, known).staying()) {
            record.addReplica(replica.toBuilder().setMember(replica.getMember() || isAmong(request, replica)));
        }
        if (!record.build().equals(known)) {
            state.putHost(group, record.build());
        }
        return Empty.getDefaultInstance();
    }

    private static boolean areToStay(MembersRecord.OfGroup members, GroupHostRecord known) {
        Set<ByteString> named = new HashSet<>();
        members.getMemberList().forEach(member -> named.add(member.getServerId()));
        Set<ByteString> staying = new HashSet<>();
        new ReplicaSet(new GroupId(members.getGroup()), known)
                .staying()
                .forEach(replica -> staying.add(replica.getServerId()));
        return named.equals(staying);
    }

    private static boolean isAmong(MembersRecord.OfGroup members, GroupReplicaRecord replica) {
        return members.getMemberList().stream()
                .anyMatch(member -> member.getServerId().equals(replica.getServerId())
                        && member.getRaftHost().equals(replica.getRaftHost())
                        && member.getRaftPort() == replica.getRaftPort());
    }
}
