package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.MetadataServerRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of one group by its record, and how they change. A replica that moves is in the record twice:
 * <i>coming</i>, not a member yet, and right before it <i>leaving</i>. The group's leader is asked to make those that
 * stay its members; when it has, the leaving ones go from the record, and only then may their servers throw away what
 * they have. Until then a move can be turned round: who came leaves, and who was leaving stays.
 */
record ReplicaSet(GroupId group, GroupHostRecord record) {
    static ReplicaSet of(ClusterState.Host host) {
        return new ReplicaSet(host.group(), host.record());
    }

    List<GroupReplicaRecord> all() {
        return record.getReplicaList();
    }

    List<GroupReplicaRecord> staying() {
        return all().stream().filter(replica -> !replica.getLeaving()).toList();
    }

    @Nullable
    GroupReplicaRecord leaving() {
        return all().stream().filter(GroupReplicaRecord::getLeaving).findFirst().orElse(null);
    }

    @Nullable
    GroupReplicaRecord coming() {
        return staying().stream()
                .filter(replica -> !replica.getMember())
                .findFirst()
                .orElse(null);
    }

    @Nullable
    GroupReplicaRecord of(ByteString server) {
        int place = place(server);
        return place < 0 ? null : record.getReplica(place);
    }

    boolean isOn(ByteString server) {
        return place(server) >= 0;
    }

    private int place(ByteString server) {
        return all().stream().map(GroupReplicaRecord::getServerId).toList().indexOf(server);
    }

    /** Who leads where all are well; which that is goes round from group to group. */
    @Nullable
    ByteString preferredLeader() {
        List<GroupReplicaRecord> ordered = byPreference(staying());
        return ordered.isEmpty() ? null : ordered.get(0).getServerId();
    }

    private List<GroupReplicaRecord> byPreference(List<GroupReplicaRecord> replicas) {
        List<GroupReplicaRecord> ordered = new ArrayList<>();
        for (int i = 0; i < replicas.size(); i++) {
            ordered.add(replicas.get(Math.floorMod(group.value() + 1 + i, replicas.size())));
        }
        return ordered;
    }

    /**
     * Who the members are to be, once all that stay serve the group and are as many as shall: before that a new group
     * stays with one member, as two are no safer against the loss of one.
     *
     * @return the preferred leader first; none where nothing is to be changed now
     */
    List<GroupReplicaRecord> membersToBe(int replicas) {
        List<GroupReplicaRecord> staying = staying();
        boolean differs = leaving() != null || coming() != null;
        boolean canBegin = staying.stream().allMatch(GroupReplicaRecord::getServes)
                && (staying.size() >= replicas || coming() == null);
        return differs && canBegin ? byPreference(staying) : List.of();
    }

    /** With a replica that comes to one server in the place of another's. */
    GroupHostRecord moving(ByteString from, MetadataServerRecord to) {
        int place = place(from);
        return leavingAt(place).addReplica(place + 1, replicaOn(to)).build();
    }

    /** A server's replica, which it has yet to open. */
    static GroupReplicaRecord.Builder replicaOn(MetadataServerRecord server) {
        return GroupReplicaRecord.newBuilder()
                .setServerId(server.getServerId())
                .setHost(server.getHost())
                .setPort(server.getPort())
                .setRaftHost(server.getRaftHost())
                .setRaftPort(server.getRaftPort());
    }

    /** With the replica of a server leaving, and none in its place. */
    GroupHostRecord releasing(ByteString server) {
        return leavingAt(place(server)).build();
    }

    /** With a move turned round, and who was leaving staying. */
    GroupHostRecord turnedRound() {
        GroupHostRecord.Builder turned = record.toBuilder();
        for (int place = 0; place < all().size(); place++) {
            GroupReplicaRecord replica = record.getReplica(place);
            if (replica.getLeaving()) {
                turned.setReplica(place, replica.toBuilder().setLeaving(false));
            } else if (!replica.getMember()) {
                turned.setReplica(place, replica.toBuilder().setLeaving(true));
            }
        }
        return turned.build();
    }

    private GroupHostRecord.Builder leavingAt(int place) {
        return record.toBuilder()
                .setReplica(place, record.getReplica(place).toBuilder().setLeaving(true));
    }
}
