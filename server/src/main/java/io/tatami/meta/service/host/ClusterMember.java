package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.rpc.CallOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A metadata server's place in its cluster: tells the namespace group where its groups are served, and asks for the map
 * from then on. Where the cluster says that another server has its groups, it has this one stop serving them, once.
 *
 * <p>{@link #register} is called by the thread that starts the server; after it only {@link #run} is, by one thread at a
 * time.
 */
final class ClusterMember {
    private static final Duration REST = Duration.ofSeconds(1);
    private static final long TIMEOUT_MILLIS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

    private final NamespaceLink link;
    private final ClusterMapHolder maps;
    private final RegisterMetadataServerRequest registration;
    private final CallOptions options;
    private final Consumer<String> stopServing;
    private volatile boolean registered;
    private volatile boolean silent;
    private volatile boolean displaced;

    /**
     * @param options with the credential of a server
     * @param stopServing told why
     */
    ClusterMember(
            NamespaceLink link,
            ClusterMapHolder maps,
            RegisterMetadataServerRequest registration,
            CallOptions options,
            Consumer<String> stopServing) {
        this.link = link;
        this.maps = maps;
        this.registration = registration;
        this.options = options.withTimeoutMillis(TIMEOUT_MILLIS);
        this.stopServing = stopServing;
    }

    /** Completes when the cluster's map names this server; fails with IN_USE where its groups belong to another. */
    CompletableFuture<Void> register() {
        return link.connect()
                .thenCompose(connection -> connection.call(MetaMethods.REGISTER_METADATA_SERVER, options, registration))
                .thenAccept(reply -> {
                    maps.offer(reply.getMap());
                    registered = true;
                });
    }

    /** A {@link io.tatami.meta.service.BackgroundTask}: registers if that is still to be done, else asks for the map. */
    CompletableFuture<Duration> run() {
        if (displaced) {
            return CompletableFuture.completedFuture(REST);
        }
        return (registered ? poll() : register()).handle((done, thrown) -> {
            if (thrown == null) {
                answered();
            } else {
                failed(Causes.of(thrown));
            }
            return REST;
        });
    }

    private CompletableFuture<Void> poll() {
        return link.connect()
                .thenCompose(connection -> connection.call(
                        MetaMethods.GET_CLUSTER_MAP, options, GetClusterMapRequest.getDefaultInstance()))
                .thenAccept(reply -> maps.offer(reply.getMap()));
    }

    private void answered() {
        if (silent) {
            LOG.info("the namespace group answers again");
        }
        silent = false;
        @Nullable GroupLocation other = servedElsewhere(maps.map());
        if (other != null) {
            displace("group " + other.getGroup() + " is served at "
                    + other.getLeader().getHost() + ":" + other.getLeader().getPort()
                    + " now, from a copy of this server's directory");
        }
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

    private @Nullable GroupLocation servedElsewhere(ClusterMap map) {
        for (GroupLocation location : map.getGroupList()) {
            if (registration.getHostedGroupList().contains(location.getGroup())
                    && !location.getLeader().equals(registration.getEndpoint())) {
                return location;
            }
        }
        return null;
    }
}
