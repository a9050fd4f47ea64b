package io.tatami.meta.service.cluster;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.meta.op.servers.NoteBlockServers;
import io.tatami.meta.op.servers.ServerRack;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.NoteBlockServersRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out the racks of block servers that were not started with one, and writes them down with the servers, so that a
 * leader that cannot ask has them too. A host is asked for when a server appears there, and all of them again every
 * {@value #AGAIN_MINUTES} minutes. The table and the script are read and run by a thread of their own. The fields
 * belong to the runs of one background task, which never overlap.
 */
final class RackResolution implements BackgroundTask {
    private static final Logger LOG = LoggerFactory.getLogger(RackResolution.class);
    static final int AGAIN_MINUTES = 5;

    private static final Duration LOOK = Duration.ofSeconds(1);

    /** After a failure of the table or the script. */
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final Group<ClusterState> group;
    private final RackMapping mapping;
    private final Clock clock;
    private final NoteBlockServers note = new NoteBlockServers();

    /** Of each host what was found out last; empty where nothing is known. No more hosts than the cluster has. */
    private final Map<String, String> known = new HashMap<>();

    private long askedAllNanos;

    RackResolution(Group<ClusterState> group, RackMapping mapping, Clock clock) {
        this.group = group;
        this.mapping = mapping;
        this.clock = clock;
        this.askedAllNanos = clock.monotonicNanos();
    }

    @Override
    public CompletableFuture<Duration> run() {
        return group.read(RackResolution::unplaced, RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenCompose(this::resolve);
    }

    /** The servers whose rack is to be found out, with what was found out before. */
    private static ClusterMap unplaced(ClusterState state, RequestContext context, Empty request) {
        ClusterMap.Builder servers = ClusterMap.newBuilder();
        for (ClusterState.Server server : state.servers()) {
            BlockServerRecord record = server.record();
            if (ServerRack.isResolved(record)) {
                servers.addBlockServer(BlockServerInfo.newBuilder()
                        .setServerId(server.id().value())
                        .setHost(record.getHost())
                        .setRack(record.getResolvedRack()));
            }
        }
        return servers.build();
    }

    private CompletableFuture<Duration> resolve(ClusterMap servers) {
        TreeSet<String> hosts = new TreeSet<>();
        servers.getBlockServerList().forEach(info -> hosts.add(info.getHost()));
        known.keySet().retainAll(hosts);
        boolean isOld = clock.monotonicNanos() - askedAllNanos
                >= Duration.ofMinutes(AGAIN_MINUTES).toNanos();
        if (isOld) {
            askedAllNanos = clock.monotonicNanos();
        } else {
            hosts.removeAll(known.keySet());
        }
        if (hosts.isEmpty()) {
            return write(servers).thenApply(written -> LOOK);
        }
        return ask(List.copyOf(hosts))
                .thenCompose(racks -> {
                    hosts.forEach(host -> known.put(host, racks.getOrDefault(host, "")));
                    return write(servers);
                })
                .handle((written, failure) -> {
                    if (failure != null) {
                        LOG.warn("the racks of {} are not written down; they are asked for again", hosts, failure);
                    }
                    return failure == null ? LOOK : PAUSE;
                });
    }

    /** By a thread of its own, which ends after the script's limit of time at the latest. */
    private CompletableFuture<Map<String, String>> ask(List<String> hosts) {
        CompletableFuture<Map<String, String>> answer = new CompletableFuture<>();
        Thread asking = new Thread(
                () -> {
                    try {
                        answer.complete(mapping.racks(hosts));
                    } catch (IOException | RuntimeException e) {
                        answer.completeExceptionally(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        answer.completeExceptionally(e);
                    }
                },
                "racks");
        asking.setDaemon(true);
        asking.start();
        return answer;
    }

    private CompletableFuture<?> write(ClusterMap servers) {
        List<NoteBlockServersRequest.Item> items = new ArrayList<>();
        for (BlockServerInfo info : servers.getBlockServerList()) {
            String rack = known.getOrDefault(info.getHost(), "");
            if (!rack.isEmpty() && !rack.equals(info.getRack())) {
                LOG.info("block server {} on {} is in rack {}", new ServerId(info.getServerId()), info.getHost(), rack);
                items.add(NoteBlockServersRequest.Item.newBuilder()
                        .setServerId(info.getServerId())
                        .setResolvedRack(rack)
                        .build());
            }
        }
        return items.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : group.submit(
                        note,
                        RequestOrigin.SERVICE,
                        NoteBlockServersRequest.newBuilder().addAllItem(items).build());
    }
}
