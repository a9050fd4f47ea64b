package io.tatami.meta.service.host;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A metadata server's place in its cluster: tells the namespace group where its groups are served, and from then on which
 * of them it leads, and is told the map. Where the cluster says that another server has its groups, it has this one stop serving them, once.
 *
 * <p>{@link #register} is called by the thread that starts the server; after it only {@link #run} is, by one thread at a
 * time.
 */
final class ClusterMember {
    private static final Duration REST = Duration.ofSeconds(1);
    private static final Duration SHORT_REST = Duration.ofMillis(100);
    private static final long TIMEOUT_MILLIS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

    private final GroupRoutes routes;
    private final ClusterMapHolder maps;
    private final Supplier<RegisterMetadataServerRequest> registrations;
    private final Supplier<List<Integer>> led;
    private final Orders orders;
    private final CallOptions options;
    private final Consumer<String> stopServing;
    private volatile RegisterMetadataServerRequest registration;
    private volatile boolean registered;
    private volatile boolean silent;
    private volatile boolean displaced;

    /** What the namespace's leader has this server do. */
    @FunctionalInterface
    interface Orders {
        /** Completes, never exceptionally, with whether this server has other groups now, or holds some in another way. */
        CompletableFuture<Boolean> follow(ReportMetadataServerReply reply);
    }

    /**
     * @param registrations what to tell of this server now
     * @param led the replicated groups that this server leads now
     * @param options with the credential of a server
     * @param stopServing told why
     */
    ClusterMember(
            GroupRoutes routes,
            ClusterMapHolder maps,
            Supplier<RegisterMetadataServerRequest> registrations,
            Supplier<List<Integer>> led,
            Orders orders,
            CallOptions options,
            Consumer<String> stopServing) {
        this.routes = routes;
        this.maps = maps;
        this.registrations = registrations;
        this.registration = registrations.get();
        this.led = led;
        this.orders = orders;
        this.options = options.withTimeoutMillis(TIMEOUT_MILLIS);
        this.stopServing = stopServing;
    }

    /** Completes when the cluster's map names this server; fails with IN_USE where its groups belong to another. */
    CompletableFuture<Void> register() {
        RegisterMetadataServerRequest now = registrations.get();
        registration = now;
        return routes.call(GroupId.NAMESPACE, MetaMethods.REGISTER_METADATA_SERVER, options, now)
                .thenAccept(reply -> {
                    maps.offer(reply.getMap());
                    registered = true;
                });
    }

    /** A {@link io.tatami.meta.service.BackgroundTask}: registers if that is still to be done, else reports. */
    CompletableFuture<Duration> run() {
        if (displaced) {
            return CompletableFuture.completedFuture(REST);
        }
        CompletableFuture<Duration> rest =
                registered ? report() : register().thenApply(done -> REST);
        return rest.handle((wanted, thrown) -> {
            if (thrown == null) {
                answered();
                return wanted;
            }
            failed(Causes.of(thrown));
            return REST;
        });
    }

    /** The rest until the next one. */
    private CompletableFuture<Duration> report() {
        ReportMetadataServerRequest report = ReportMetadataServerRequest.newBuilder()
                .setServerId(registration.getServerId())
                .setEndpoint(registration.getEndpoint())
                .addAllLedGroup(led.get())
                .build();
        return routes.call(GroupId.NAMESPACE, MetaMethods.REPORT_METADATA_SERVER, options, report)
                .thenCompose(reply -> {
                    maps.offer(reply.getMap());
                    return orders.follow(reply).thenApply(changed -> restAfter(reply, changed));
                });
    }

    private Duration restAfter(ReportMetadataServerReply reply, boolean changed) {
        if (changed) {
            registered = false;
            return Duration.ZERO;
        }
        return reply.getReportSoon() ? SHORT_REST : REST;
    }

    private void answered() {
        if (silent) {
            LOG.info("the namespace group answers again");
        }
        silent = false;
        for (GroupLocation location : maps.map().getGroupList()) {
            Endpoint server = serverOf(location);
            if (server.getPort() != 0 && !server.equals(registration.getEndpoint())) {
                displace("group " + location.getGroup() + " is served at " + GroupLeaders.detail(server)
                        + " now, from a copy of this server's directory");
                return;
            }
        }
    }

    /** Where the group of this server is by the map; the default where that does not say, or has none of it. */
    private Endpoint serverOf(GroupLocation location) {
        if (!registration.getHostedGroupList().contains(location.getGroup())) {
            return Endpoint.getDefaultInstance();
        }
        for (GroupReplica replica : location.getReplicaList()) {
            if (replica.getServerId().equals(registration.getServerId())) {
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
        stopServing.accept(reason);
    }
}
