package io.tatami.meta.service.reclaim;

import io.tatami.base.ServerId;
import io.tatami.meta.op.reclaim.CloseServer;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.CloseServerReply;
import io.tatami.meta.state.wire.CloseServerRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs of servers that drain that this shard places no block there any more, and has them audited as soon as it has no
 * block recorded there: what the audit finds then, the shard knew nothing of. A server that serves again is opened
 * again. The fields but {@link #emptied} belong to the runs of one background task, which never overlap.
 */
final class DrainWatch {
    /** Servers that a leader looks at in a row when it begins. */
    private static final int SERVERS_PER_RUN = 64;

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final CloseServer close = new CloseServer();

    /** Whether a server is logged as closed, as far as this leader has looked. */
    private final Map<ServerId, Boolean> closed = new HashMap<>();

    /** Closed servers without blocks, which are still to be audited. */
    private final Set<ServerId> emptied = ConcurrentHashMap.newKeySet();

    DrainWatch(PartContext<ShardState> parts) {
        this.group = parts.group();
        this.peers = parts.peers();
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        Map<ServerId, Boolean> wanted = wanted();
        closed.keySet().retainAll(wanted.keySet());
        emptied.retainAll(wanted.keySet());
        Map<ServerId, Boolean> changes = new LinkedHashMap<>();
        wanted.forEach((server, isToBeClosed) -> {
            if (!isToBeClosed.equals(closed.get(server)) && changes.size() < SERVERS_PER_RUN) {
                changes.put(server, isToBeClosed);
            }
        });
        return change(changes.entrySet().iterator())
                .thenCompose(done -> look(wanted.entrySet().iterator()))
                .thenApply(done -> changes.size() < SERVERS_PER_RUN ? LOOK : Duration.ZERO);
    }

    /** Servers that are silent stay as they are, unless they are to be empty. */
    private Map<ServerId, Boolean> wanted() {
        Map<ServerId, Boolean> wanted = new LinkedHashMap<>();
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            ServerId server = new ServerId(info.getServerId());
            if (info.getToBeEmptied()) {
                wanted.put(server, true);
                continue;
            }
            switch (info.getState()) {
                case DRAINING -> wanted.put(server, true);
                case ACTIVE, JOINING -> wanted.put(server, false);
                case STALE, MAINTENANCE, DEAD, GONE, UNRECOGNIZED -> {
                    Boolean known = closed.get(server);
                    if (known != null) {
                        wanted.put(server, known);
                    }
                }
            }
        }
        return wanted;
    }

    private CompletableFuture<Void> change(Iterator<Map.Entry<ServerId, Boolean>> changes) {
        if (!changes.hasNext()) {
            return CompletableFuture.completedFuture(null);
        }
        Map.Entry<ServerId, Boolean> next = changes.next();
        CloseServerRequest request = request(next.getKey(), next.getValue()).build();
        return group.submit(close, RequestOrigin.SERVICE, request).thenCompose(reply -> {
            closed.put(next.getKey(), next.getValue());
            return change(changes);
        });
    }

    /** Whether closed servers have blocks now. */
    private CompletableFuture<Void> look(Iterator<Map.Entry<ServerId, Boolean>> servers) {
        while (servers.hasNext()) {
            ServerId server = servers.next().getKey();
            if (closed.getOrDefault(server, false)) {
                return group.read(
                                close,
                                RequestOrigin.SERVICE,
                                request(server, true).build())
                        .thenCompose(reply -> {
                            note(server, reply);
                            return look(servers);
                        });
            }
            emptied.remove(server);
        }
        return CompletableFuture.completedFuture(null);
    }

    private void note(ServerId server, CloseServerReply reply) {
        if (reply.getHasBlocks() || reply.getDrained()) {
            emptied.remove(server);
        } else {
            emptied.add(server);
        }
    }

    private static CloseServerRequest.Builder request(ServerId server, boolean isClosed) {
        return CloseServerRequest.newBuilder().setServerId(server.value()).setClosed(isClosed);
    }

    /** Whether the end of a drain waits for an audit. Called by any thread. */
    boolean awaitsAudit(ServerId server) {
        return emptied.contains(server);
    }

    /**
     * A round of an audit is done. Called by any thread.
     *
     * @param known blocks of this shard that were asked for, or found, on the server
     */
    CompletableFuture<Void> audited(ServerId server, long round, long known) {
        if (known > 0 || !emptied.contains(server)) {
            return CompletableFuture.completedFuture(null);
        }
        return group.submit(
                        close,
                        RequestOrigin.SERVICE,
                        request(server, true).setEmptyRound(round).build())
                .thenAccept(reply -> note(server, reply));
    }
}
