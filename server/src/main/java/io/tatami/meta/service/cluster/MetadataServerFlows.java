package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.meta.op.cluster.ChangeMetadataServer;
import io.tatami.meta.op.cluster.ListMetadataServers;
import io.tatami.meta.op.cluster.MoveReplicas;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.protocol.wire.ChangeMetadataServerReply;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.ReplicaMove;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Metadata servers come and go, and replicas of groups move between them, one at a time. Which replica goes where is
 * logged before anybody hears of it, so a leader that comes after goes on from there: servers are told when they report
 * ({@link ServerReports}), and {@link GroupMembers} has the group's leader change its members. Safe for use by many
 * threads.
 */
final class MetadataServerFlows {
    private static final Duration REST = Duration.ofSeconds(1);

    private final Group<ClusterState> group;
    private final ServerReports reports;
    private final ClusterWatch watch;
    private final int replicas;
    private final ChangeMetadataServer change;
    private final MoveReplicas move = new MoveReplicas();

    /** @param replicas how many servers were to hold each group when the cluster was founded */
    MetadataServerFlows(Group<ClusterState> group, ServerReports reports, ClusterWatch watch, int replicas) {
        this.group = group;
        this.reports = reports;
        this.watch = watch;
        this.replicas = replicas;
        this.change = new ChangeMetadataServer(replicas);
    }

    /** Refused until each server that is there has had the time to say so. */
    CompletableFuture<ListMetadataServersReply> list(RequestOrigin origin, ListMetadataServersRequest request) {
        boolean isYoung = !reports.hasListenedLong();
        return group.read(new ListMetadataServers(replicas, reports.living()), origin, request)
                .thenCompose(reply -> isYoung && !allAnswer(reply)
                        ? CompletableFuture.failedFuture(ServerReports.unheard())
                        : CompletableFuture.completedFuture(asReported(request, reply)));
    }

    private static boolean allAnswer(ListMetadataServersReply reply) {
        return reply.getServerList().stream().allMatch(MetadataServerInfo::getAnswers);
    }

    private ListMetadataServersReply asReported(ListMetadataServersRequest request, ListMetadataServersReply reply) {
        ListMetadataServersReply.Builder full = reply.toBuilder();
        if (request.getWithBlockServers()) {
            full.addAllHeard(watch.heard());
        }
        for (ReplicaMove.Builder moving : full.getMoveBuilderList()) {
            HeldReplica there = reports.held(moving.getToServerId(), moving.getGroup());
            HeldReplica ofLeader = reports.held(leader(reply, moving.getGroup()), moving.getGroup());
            moving.setEntriesThere(there.getAppliedIndex())
                    .setEntriesOfLeader(ofLeader.getAppliedIndex())
                    .setSnapshotBytes(there.getSnapshotBytes())
                    .setSnapshotBytesTotal(there.getSnapshotBytesTotal());
        }
        for (MetadataServerInfo.Builder server : full.getServerBuilderList()) {
            server.addAllHeld(reports.held(server.getServerId()))
                    .setVersion(reports.version(server.getServerId()))
                    .addAllStopped(reports.stopped(server.getServerId()))
                    .setLowSpace(reports.isLowOnSpace(server.getServerId()))
                    .setClockAheadSeconds(reports.clockAheadSeconds(server.getServerId()));
        }
        return full.build();
    }

    private static ByteString leader(ListMetadataServersReply reply, int ofGroup) {
        return reply.getServerList().stream()
                .filter(server -> server.getLedGroupList().contains(ofGroup))
                .map(MetadataServerInfo::getServerId)
                .findFirst()
                .orElse(ByteString.EMPTY);
    }

    CompletableFuture<ChangeMetadataServerReply> change(RequestOrigin origin, ChangeMetadataServerRequest request) {
        return group.submit(change, origin, request);
    }

    /** A {@link io.tatami.meta.service.BackgroundTask}: takes the next step. */
    CompletableFuture<Duration> moveOn() {
        return group.submit(move, RequestOrigin.SERVICE, reports.living()).thenApply(moved -> REST);
    }
}
