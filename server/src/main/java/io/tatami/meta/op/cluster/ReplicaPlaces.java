package io.tatami.meta.op.cluster;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which servers hold the groups of a cluster in which each is held by several. Whoever founds the cluster has them all;
 * each server that joins is given every group that too few have, the namespace group among them, and the same ones as
 * often as it asks until it has said that it serves them.
 */
final class ReplicaPlaces {
    private final ClusterState state;
    private final RegisterMetadataServerRequest request;
    private final int replicas;

    ReplicaPlaces(ClusterState state, RegisterMetadataServerRequest request, int replicas) {
        this.state = state;
        this.request = request;
        this.replicas = replicas;
    }

    /**
     * Whether a group is held by a replicated log, or is from now on, as the server says that has it; one that nobody
     * has yet, whether the cluster's groups were from the beginning.
     */
    boolean isReplicated(GroupId group) {
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null) {
            return replicas > 1;
        }
        boolean isItsOwn = known.getServerId().equals(request.getServerId());
        return known.getReplicaCount() > 0
                || (isItsOwn && request.getReplicatedGroupList().contains(group.value()));
    }

    private boolean isAskedFor(int number) {
        return request.getTakeUnassigned() || request.getWantedShardList().contains(number);
    }

    /**
     * Notes that the server holds a group; without effect while it does not say where the others reach its replicas.
     */
    void serve(GroupId group) throws TatamiException {
        if (request.getRaft().getPort() == 0) {
            return;
        }
        @Nullable GroupHostRecord known = state.host(group);
        GroupReplicaRecord self = self().setServes(true).build();
        GroupHostRecord.Builder record = known == null || known.getReplicaCount() == 0
                ? leading(GroupHostRecord.newBuilder(), self).addReplica(self)
                : known.toBuilder();
        int place = place(record.getReplicaList());
        if (place < 0 && new MetadataServers(state).isKnown(request.getServerId())) {
            // It was moved away from there meanwhile; the server hears of it when it reports.
            return;
        }
        if (place < 0) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    group + " belongs to other metadata servers; start this one with another directory");
        }
        GroupReplicaRecord before = record.getReplica(place);
        boolean isWhereItWas =
                before.getRaftHost().equals(self.getRaftHost()) && before.getRaftPort() == self.getRaftPort();
        record.setReplica(
                place,
                self.toBuilder().setMember(before.getMember() && isWhereItWas).setLeaving(before.getLeaving()));
        if (record.getServerId().equals(self.getServerId())) {
            leading(record, self);
        }
        put(group, known, record.build());
    }

    /** Gives the server a group that it asks for and too few have; false where that is not so. */
    boolean assign(GroupId group) {
        @Nullable GroupHostRecord known = state.host(group);
        if (known == null || !isAskedFor(group.value())) {
            return false;
        }
        int place = place(known.getReplicaList());
        if (place < 0 && (known.getReplicaCount() >= replicas || !mayHold())) {
            return false;
        }
        if (place >= 0 && known.getReplica(place).getServes()) {
            return false;
        }
        GroupHostRecord.Builder record = known.toBuilder();
        if (place < 0) {
            record.addReplica(self());
        } else {
            record.setReplica(place, self());
        }
        put(group, known, record.build());
        return true;
    }

    private boolean mayHold() {
        return new MetadataServers(state).mayHold(request.getServerId());
    }

    private void put(GroupId group, @Nullable GroupHostRecord known, GroupHostRecord record) {
        if (!record.equals(known)) {
            state.putHost(group, record);
        }
    }

    private GroupReplicaRecord.Builder self() {
        return GroupReplicaRecord.newBuilder()
                .setServerId(request.getServerId())
                .setHost(request.getEndpoint().getHost())
                .setPort(request.getEndpoint().getPort())
                .setRaftHost(request.getRaft().getHost())
                .setRaftPort(request.getRaft().getPort());
    }

    private int place(List<GroupReplicaRecord> holders) {
        return holders.stream().map(GroupReplicaRecord::getServerId).toList().indexOf(request.getServerId());
    }

    /** Notes that {@code replica} leads. */
    static GroupHostRecord.Builder leading(GroupHostRecord.Builder record, GroupReplicaRecord replica) {
        return record.setHost(replica.getHost())
                .setPort(replica.getPort())
                .setServerId(replica.getServerId())
                .setServes(true);
    }
}
