package io.tatami.meta.service.host;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Release;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import io.tatami.rpc.MapChanges;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A metadata server's place in its cluster: tells the namespace group where its groups are served, and from then on
 * which of them it leads and what it holds, and is told the map and what else it is to hold. Where the cluster says
 * that another server has its groups, or that it was removed, it has this one stop serving them, once.
 *
 * <p>{@link #register} is called by the thread that starts the server; after it only {@link #run} is, by one thread at
 * a time.
 */
final class ClusterMember {
    private static final Duration REST = Duration.ofSeconds(1);
    /** While more is about to be asked of this server. */
    private static final Duration SHORT_REST = Duration.ofMillis(100);

    private static final long TIMEOUT_MILLIS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

    private final GroupRoutes routes;
    private final ClusterMapHolder maps;
    private final CallOptions options;
    private final Clock clock;
    private final Here here;
    private volatile RegisterMetadataServerRequest told = RegisterMetadataServerRequest.getDefaultInstance();
    private volatile boolean registered;
    private volatile boolean silent;
    private volatile boolean displaced;

    /** This server, as the cluster deals with it. */
    interface Here {
        /** Where it is and which groups it has; only the groups change. */
        RegisterMetadataServerRequest registration();

        /** The replicated groups that it leads now. */
        List<Integer> led();

        /** The replicas of which it has anything stored. */
        List<HeldReplica> held();

        /** Whether others are to lead what they can, as little is free on its disk. */
        boolean isLowOnSpace();

        /** How far its system's clock has jumped ahead and is not followed, in seconds; 0 while it is. */
        long clockAheadSeconds();

        /** Is told what to open and drop; must not block. */
        void follow(ReportMetadataServerReply orders);

        /** Its groups are not its own any more. */
        void stopServing(String reason);
    }

    /** @param options with the credential of a server */
    ClusterMember(GroupRoutes routes, ClusterMapHolder maps, CallOptions options, Clock clock, Here here) {
        this.routes = routes;
        this.maps = maps;
        this.options = options.withTimeoutMillis(TIMEOUT_MILLIS);
        this.clock = clock;
        this.here = here;
    }

    /** Completes when the cluster's map names this server; fails with IN_USE where its groups belong to another. */
    CompletableFuture<Void> register() {
        RegisterMetadataServerRequest self = here.registration();
        long asked = clock.monotonicNanos();
        return routes.call(GroupId.NAMESPACE, MetaMethods.REGISTER_METADATA_SERVER, options, self)
                .thenAccept(reply -> {
                    maps.answered(reply.getMap(), asked);
                    told = self;
                    registered = true;
                });
    }

    /**
     * A {@link io.tatami.meta.service.BackgroundTask}: registers if that is still to be done, as where it has more
     * groups now, else reports.
     */
    CompletableFuture<Duration> run() {
        if (displaced) {
            return CompletableFuture.completedFuture(REST);
        }
        CompletableFuture<Duration> rest = registered && isTold(here.registration())
                ? report()
                : register().thenApply(done -> SHORT_REST);
        return rest.handle((wanted, thrown) -> {
            if (thrown == null) {
                answered();
                return wanted;
            }
            failed(Causes.of(thrown));
            return REST;
        });
    }

    /** Groups that it has no more are the cluster's doing, and a server that was removed may not register. */
    private boolean isTold(RegisterMetadataServerRequest now) {
        return itself(told).equals(itself(now))
                && told.getHostedGroupList().containsAll(now.getHostedGroupList())
                && told.getReplicatedGroupList().containsAll(now.getReplicatedGroupList());
    }

    private static RegisterMetadataServerRequest itself(RegisterMetadataServerRequest registration) {
        return registration.toBuilder()
                .clearMarks()
                .clearHostedGroup()
                .clearReplicatedGroup()
                .build();
    }

    /** The rest until the next one. */
    private CompletableFuture<Duration> report() {
        RegisterMetadataServerRequest self = here.registration();
        ReportMetadataServerRequest report = ReportMetadataServerRequest.newBuilder()
                .setServerId(self.getServerId())
                .setEndpoint(self.getEndpoint())
                .addAllLedGroup(here.led())
                .addAllHeld(here.held())
                .setMarks(self.getMarks())
                .setRun(self.getRun())
                .setLowSpace(here.isLowOnSpace())
                .setClockAheadSeconds(here.clockAheadSeconds())
                .setVersion(Release.name())
                .build();
        ClusterMap known = maps.map();
        long asked = clock.monotonicNanos();
        return routes.call(
                        GroupId.NAMESPACE,
                        MetaMethods.REPORT_METADATA_SERVER,
                        options,
                        report.toBuilder().setKnownMap(MapChanges.known(known)).build())
                .thenApply(reply -> {
                    maps.answered(map(known, reply), asked);
                    if (reply.getSuperseded()) {
                        displace("another process takes part under its id, from a copy of its directory");
                    } else if (reply.getRemoved() && reply.getDropGroupCount() == 0) {
                        displace("it was removed from the cluster, and its directory may be deleted");
                    } else {
                        here.follow(reply);
                    }
                    return reply.getReportSoon() ? SHORT_REST : REST;
                });
    }

    private static ClusterMap map(ClusterMap known, ReportMetadataServerReply reply) {
        try {
            return reply.hasMapChanges() ? MapChanges.applied(known, reply.getMapChanges()) : reply.getMap();
        } catch (TatamiException e) {
            throw new CompletionException(e);
        }
    }

    private void answered() {
        if (silent) {
            LOG.info("the namespace group answers again");
        }
        silent = false;
        RegisterMetadataServerRequest self = here.registration();
        for (GroupLocation location : maps.map().getGroupList()) {
            Endpoint server = serverOf(location, self);
            if (server.getPort() != 0 && !server.equals(self.getEndpoint())) {
                displace("group " + location.getGroup() + " is served at " + GroupLeaders.text(server)
                        + " now, from a copy of this server's directory");
                return;
            }
        }
    }

    /** Where the group of this server is by the map; the default where that does not say, or has none of it. */
    private static Endpoint serverOf(GroupLocation location, RegisterMetadataServerRequest self) {
        if (!self.getHostedGroupList().contains(location.getGroup())) {
            return Endpoint.getDefaultInstance();
        }
        for (GroupReplica replica : location.getReplicaList()) {
            if (replica.getServerId().equals(self.getServerId())) {
                return replica.getEndpoint();
            }
        }
        return location.getReplicaCount() == 0 ? location.getLeader() : Endpoint.getDefaultInstance();
    }

    private void failed(TatamiException failure) {
        if (!registered && !failure.code().isRetryable()) {
            displace(String.valueOf(failure.getMessage()));
        } else if (!silent) {
            silent = true;
            LOG.warn("the namespace group does not answer; it is asked again every {}", REST, failure);
        }
    }

    private void displace(String reason) {
        displaced = true;
        here.stopServing(reason);
    }
}
