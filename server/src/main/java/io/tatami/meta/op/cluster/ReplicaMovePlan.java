package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.MetadataServerRecord.State;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens next so that servers that leave hold nothing, and those in service about the same number of
 * replicas: one move at a time, because each costs the cluster the reading and writing of a whole group. Reads the
 * state and changes nothing.
 */
final class ReplicaMovePlan {
    private final LivingServers heard;
    private final boolean grows;
    private final List<ReplicaSet> groups;
    private final List<MetadataServerRecord> servers;

    ReplicaMovePlan(ClusterState state, LivingServers heard) {
        this.heard = heard;
        this.grows = state.replication(1).getUnderWay();
        this.groups = state.hosts().stream().map(ReplicaSet::of).toList();
        this.servers = state.metadataServers().stream()
                .map(ClusterState.MetadataServer::record)
                .filter(server -> server.getState() != State.REMOVED)
                .toList();
    }

    /** What is to be done. */
    sealed interface Step {
        /** A replica comes to one server in the place of another's. */
        record Move(ReplicaSet group, ByteString from, MetadataServerRecord to) implements Step {}

        /** The server to which a replica was on its way does not take it. */
        record TurnRound(ReplicaSet group) implements Step {}

        /** A replica that never became a member goes. */
        record Release(ReplicaSet group, ByteString from) implements Step {}

        /** A server that leaves holds nothing any more. */
        record Retire(ByteString server) implements Step {}

        /** Nothing now, because something is under way or is not there. */
        record Wait(String what) implements Step {}

        /** All is as it should be. */
        record Rest() implements Step {}
    }

    Step next() {
        boolean forming = grows;
        String underWay = "";
        for (ReplicaSet group : groups) {
            @Nullable GroupReplicaRecord coming = group.coming();
            boolean moves = group.leaving() != null;
            if (coming != null && moves && !isWanted(coming)) {
                return new Step.TurnRound(group);
            }
            if (coming != null && !moves && isLeaving(coming.getServerId())) {
                return new Step.Release(group, coming.getServerId());
            }
            forming |= coming != null && !moves;
            underWay = moves ? "a replica of " + group.group() + " is on its way" : underWay;
        }
        if (!underWay.isEmpty()) {
            return new Step.Wait(underWay);
        }
        for (MetadataServerRecord server : servers) {
            if (server.getState() == State.LEAVING) {
                return emptying(server);
            }
        }
        return forming ? new Step.Wait("the groups' first members are not all there yet") : balancing();
    }

    private boolean isWanted(GroupReplicaRecord coming) {
        boolean isInService = servers.stream()
                .anyMatch(server ->
                        server.getServerId().equals(coming.getServerId()) && server.getState() == State.IN_SERVICE);
        return isInService && MetadataServers.wasHeardLately(heard, coming.getServerId());
    }

    private boolean isLeaving(ByteString id) {
        return servers.stream()
                .anyMatch(server -> server.getServerId().equals(id) && server.getState() == State.LEAVING);
    }

    private Step emptying(MetadataServerRecord leaving) {
        List<ReplicaSet> held = held(leaving.getServerId());
        if (held.isEmpty()) {
            return new Step.Retire(leaving.getServerId());
        }
        for (ReplicaSet group : held) {
            Optional<MetadataServerRecord> to = takers().filter(server -> !group.isOn(server.getServerId()))
                    .min(Comparator.comparingInt(this::load));
            if (to.isPresent()) {
                return new Step.Move(group, leaving.getServerId(), to.get());
            }
        }
        return new Step.Wait("no server in service answers that could take the replica of "
                + held.get(0).group() + " from "
                + MetadataServers.text(leaving.getServerId())
                + "; start one, or have another join and add it");
    }

    private Step balancing() {
        Optional<MetadataServerRecord> least = takers().min(Comparator.comparingInt(this::load));
        Optional<MetadataServerRecord> most = servers.stream()
                .filter(server -> server.getState() == State.IN_SERVICE)
                .max(Comparator.comparingInt(this::load));
        if (least.isEmpty() || most.isEmpty() || load(most.get()) - load(least.get()) < 2) {
            return new Step.Rest();
        }
        ByteString from = most.get().getServerId();
        boolean withLead = lead(from) - lead(least.get().getServerId()) >= 2;
        return held(from).stream()
                .filter(group -> !group.isOn(least.get().getServerId()))
                .min(Comparator.comparing(group -> withLead != from.equals(group.preferredLeader())))
                .<Step>map(group -> new Step.Move(group, from, least.get()))
                .orElseGet(Step.Rest::new);
    }

    /** Who may be given replicas. */
    private Stream<MetadataServerRecord> takers() {
        return servers.stream()
                .filter(server -> server.getState() == State.IN_SERVICE && server.getRaftPort() != 0)
                .filter(server -> heard.getLivingList().contains(server.getServerId()));
    }

    private List<ReplicaSet> held(ByteString server) {
        return groups.stream().filter(group -> group.isOn(server)).toList();
    }

    private int load(MetadataServerRecord server) {
        return held(server.getServerId()).size();
    }

    private int lead(ByteString server) {
        return (int) groups.stream()
                .filter(group -> server.equals(group.preferredLeader()))
                .count();
    }
}
