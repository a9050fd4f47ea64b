package io.tatami.meta.service.cluster;

import com.google.protobuf.Empty;
import io.tatami.base.GroupId;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.cluster.BeginReplicating;
import io.tatami.meta.op.cluster.EndReplicating;
import io.tatami.meta.op.cluster.PlaceReplicas;
import io.tatami.meta.op.cluster.ReadReplication;
import io.tatami.meta.op.cluster.ReplicateGroups;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.PlacementRecord;
import io.tatami.meta.state.wire.ReplicationProgress;
import io.tatami.protocol.wire.ReplicateGroupsReply;
import io.tatami.protocol.wire.ReplicateGroupsRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Brings the groups of a running cluster from a log on one server to a replicated one on several, one group after the
 * other. Each step is a record of the namespace group's, or is told to a server in answer to its reports until it says
 * that it is done; so whoever leads next goes on where this one was. For a group these are: its server is told to hold
 * it by a replicated log, and registers as its first member; others are given it, open an empty replica and register;
 * and {@link GroupMembers} makes them members. Safe for use by many threads.
 */
final class GrowingReplication implements BackgroundTask {
    private static final Duration REST = Duration.ofSeconds(1);
    private static final Duration SHORT_REST = Duration.ofMillis(100);

    private final Group<ClusterState> group;
    private final ServerReports reports;
    private final int shards;
    private final int founded;
    private final ReadReplication readReplication;
    private final BeginReplicating beginReplicating = new BeginReplicating();
    private final PlaceReplicas placeReplicas;
    private final EndReplicating endReplicating = new EndReplicating();

    GrowingReplication(PartContext<ClusterState> parts, ServerReports reports) {
        this.group = parts.group();
        this.reports = reports;
        this.shards = parts.record().getShards();
        this.founded = parts.record().getReplicas();
        this.readReplication = new ReadReplication(shards, founded);
        this.placeReplicas = new PlaceReplicas(founded);
    }

    /** Sets the goal, or only tells how far it is. */
    CompletableFuture<ReplicateGroupsReply> replicate(RequestOrigin origin, ReplicateGroupsRequest request) {
        LivingServers heard = reports.living();
        if (heard.getLivingCount() < request.getReplicas() && !reports.hasListenedLong()) {
            return CompletableFuture.failedFuture(ServerReports.unheard());
        }
        CompletableFuture<ReplicationProgress> told = request.getReplicas() == 0
                ? group.read(readReplication, origin, Empty.getDefaultInstance())
                : group.submit(new ReplicateGroups(shards, founded, heard), origin, request);
        return told.thenApply(now -> ReplicateGroupsReply.newBuilder()
                .setReplicas(now.getGoal().getReplicas())
                .setGroupsDone(now.getGroupsDone())
                .setGroupsTotal(now.getGroupsTotal())
                .setState(stateOf(now))
                .build());
    }

    private String stateOf(ReplicationProgress now) {
        if (!now.hasNext() || !now.getGoal().getUnderWay()) {
            return "";
        }
        GroupId next = new GroupId(now.getNextGroup());
        GroupHostRecord host = now.getNext();
        if (host.getReplicaCount() == 0) {
            return next + " goes over to a replicated log";
        }
        if (host.getReplicaCount() < now.getGoal().getReplicas()) {
            return next
                    + " waits for more metadata servers: start them again, or others with tatami start metadata --join";
        }
        boolean allServe = host.getReplicaList().stream().allMatch(GroupReplicaRecord::getServes);
        return allServe ? next + " gets its members" : next + " is opened by its new servers";
    }

    @Override
    public CompletableFuture<Duration> run() {
        return group.read(readReplication, RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenCompose(now -> now.getGoal().getUnderWay()
                        ? step(now).thenApply(done -> SHORT_REST)
                        : CompletableFuture.completedFuture(REST));
    }

    private CompletableFuture<Empty> step(ReplicationProgress now) {
        if (!now.hasNext()) {
            return now.getGroupsDone() == now.getGroupsTotal()
                    ? passing(
                            "meta.replicate.ended", group.submit(endReplicating, RequestOrigin.SERVICE, now.getGoal()))
                    : CompletableFuture.completedFuture(Empty.getDefaultInstance());
        }
        PlacementRecord.Builder next = PlacementRecord.newBuilder().setGroup(now.getNextGroup());
        GroupHostRecord host = now.getNext();
        if (host.getReplicaCount() == 0) {
            return host.getReplicating()
                    ? CompletableFuture.completedFuture(Empty.getDefaultInstance())
                    : passing(
                            "meta.replicate.begun",
                            group.submit(beginReplicating, RequestOrigin.SERVICE, next.build()));
        }
        boolean allServe = host.getReplicaCount() >= now.getGoal().getReplicas()
                && host.getReplicaList().stream().allMatch(GroupReplicaRecord::getServes);
        return allServe
                ? CompletableFuture.completedFuture(Empty.getDefaultInstance())
                : passing(
                        "meta.replicate.placed",
                        group.submit(
                                placeReplicas,
                                RequestOrigin.SERVICE,
                                next.setHeard(reports.living()).build()));
    }

    private static CompletableFuture<Empty> passing(String point, CompletableFuture<Empty> step) {
        return step.thenApply(done -> {
            CrashPoint.hit(point);
            return done;
        });
    }
}
