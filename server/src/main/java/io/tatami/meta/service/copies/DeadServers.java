package io.tatami.meta.service.copies;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import io.tatami.meta.op.copies.AdvanceHealCursor;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.copies.ServerStandings.Seen;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.AdvanceHealCursorReply;
import io.tatami.meta.state.wire.AdvanceHealCursorRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Queues the blocks of servers that are to have none any more, a page at a time: of a server that is dead at once those
 * with one good copy left, and all when it is lost; of one that drains or was forgotten both, one after the other. A
 * server that comes back ends that. Passes come again while the server stays so, for what it has got meanwhile. Nothing
 * is queued for dead servers while copying is braked, and no pass goes on while {@value #WAITING_MAX} blocks wait, the
 * first one while so many of its own kind do. When nothing of that is due, the blocks of servers are queued whose rack
 * was changed, or that have blocks from when there was one rack.
 *
 * <p>The fields belong to the runs of one background task, which never overlap.
 */
final class DeadServers {
    static final long WAITING_MAX = 10_000;
    static final Duration AGAIN = Duration.ofMinutes(10);

    static final int PAGE = 256;
    static final Duration LOOK = Duration.ofSeconds(1);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final ServerStandings standings;
    private final Clock clock;
    private final AdvanceHealCursor advance = new AdvanceHealCursor();
    private final Map<ServerId, Progress> progress = new ConcurrentHashMap<>();

    /** Of each server for which places its blocks were queued, as far as this leader knows. */
    private final Map<ServerId, Places> racksJudged = new HashMap<>();

    /** How often a server's rack was changed, and whether copies may be in several racks. */
    private record Places(int rackChanges, boolean severalRacks) {}

    /**
     * Of one server: the last pass that is done, and when the last one of all was.
     *
     * @param asGone they were begun after the server was given up: from then on it gets no blocks
     */
    private record Progress(int pass, long doneNanos, boolean asGone) {}

    DeadServers(PartContext<ShardState> parts, ServerStandings standings) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.clock = parts.clock();
        this.standings = standings;
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        Seen seen = standings.look(peers.map());
        ServerId back = back(seen);
        if (back != null) {
            return advance(seen, back, AdvanceHealCursor.NO_PASS).thenApply(done -> {
                progress.remove(back);
                return Duration.ZERO;
            });
        }
        ServerId givenUp = givenUp();
        if (givenUp != null) {
            return advance(seen, givenUp, AdvanceHealCursor.NO_PASS).thenApply(done -> {
                progress.put(givenUp, new Progress(AdvanceHealCursor.NO_PASS, clock.monotonicNanos(), true));
                return Duration.ZERO;
            });
        }
        List<ServerId> due = new ArrayList<>();
        seen.byId().forEach((server, standing) -> {
            if (passWanted(seen, server, standing, true) > passDone(server)) {
                due.add(server);
            }
        });
        if (due.isEmpty()) {
            return lookForMoved(seen);
        }
        // Blocks with one good copy left, whichever server they are of, come before all of another server's.
        ServerId server = Collections.min(due, Comparator.comparingInt(this::passDone));
        int pass = passDone(server) + 1;
        return advance(seen, server, pass).thenApply(reply -> {
            if (reply.getFull()) {
                return LOOK;
            }
            Progress before = progress.get(server);
            progress.put(
                    server,
                    new Progress(
                            reply.getDone() ? pass : pass - 1,
                            clock.monotonicNanos(),
                            before != null && before.asGone()));
            return Duration.ZERO;
        });
    }

    /**
     * A server that serves, and whose rack was changed since its blocks were queued for that, or that has blocks from
     * when there was one rack.
     */
    private CompletableFuture<Duration> lookForMoved(Seen seen) {
        boolean severalRacks = seen.view().mayHaveSeveralRacks();
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            ServerId server = new ServerId(info.getServerId());
            Places places = new Places(info.getRackChanges(), severalRacks);
            if (!places.equals(racksJudged.get(server)) && seen.byId().get(server) == Standing.SERVES) {
                return advance(request(seen, server, AdvanceHealCursor.MOVED)
                                .setRackChanges(info.getRackChanges())
                                .setSeveralRacks(severalRacks))
                        .thenApply(reply -> {
                            if (reply.getDone()) {
                                racksJudged.put(server, places);
                            }
                            return reply.getFull() ? LOOK : Duration.ZERO;
                        });
            }
        }
        racksJudged.keySet().retainAll(seen.byId().keySet());
        return CompletableFuture.completedFuture(LOOK);
    }

    /** A server that was given up, and whose passes were begun before that, or not at all; null for none. */
    private @Nullable ServerId givenUp() {
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            ServerId server = new ServerId(info.getServerId());
            Progress known = progress.get(server);
            if (info.getState() == BlockServerInfo.State.GONE && (known == null || !known.asGone())) {
                return server;
            }
        }
        return null;
    }

    /** Whether all blocks of a server that was given up were queued since that. Called by any thread. */
    boolean hasQueued(ServerId server) {
        Progress known = progress.get(server);
        return known != null && known.asGone() && known.pass() == AdvanceHealCursor.ALL;
    }

    /** A server whose blocks were queued and need not be; null for none. */
    private @Nullable ServerId back(Seen seen) {
        for (ServerId server : progress.keySet()) {
            Standing standing = seen.byId().get(server);
            if (standing == null || passWanted(seen, server, standing, false) == AdvanceHealCursor.NO_PASS) {
                return server;
            }
        }
        return null;
    }

    /** @param byBrake whether a brake keeps the blocks of dead servers from being queued */
    private static int passWanted(Seen seen, ServerId server, Standing standing, boolean byBrake) {
        boolean isDead = seen.dead().contains(server);
        if (isDead && byBrake && !seen.brake().isEmpty()) {
            return AdvanceHealCursor.NO_PASS;
        }
        return switch (standing) {
            case LOST, DRAINING -> AdvanceHealCursor.ALL;
            case SILENT -> isDead ? ofSilent(seen, server) : AdvanceHealCursor.NO_PASS;
            case SERVES, MAINTENANCE, AWAY -> AdvanceHealCursor.NO_PASS;
        };
    }

    /** One that is to have no blocks need not come back for that. */
    private static int ofSilent(Seen seen, ServerId id) {
        Server server = seen.view().server(id);
        return server != null && server.toBeEmptied() ? AdvanceHealCursor.ALL : AdvanceHealCursor.LAST_COPIES;
    }

    /** The last pass that need not come again yet. */
    private int passDone(ServerId server) {
        Progress known = progress.get(server);
        if (known == null) {
            return AdvanceHealCursor.NO_PASS;
        }
        boolean isOld = clock.monotonicNanos() - known.doneNanos() >= AGAIN.toNanos();
        return isOld ? AdvanceHealCursor.NO_PASS : known.pass();
    }

    private CompletableFuture<AdvanceHealCursorReply> advance(Seen seen, ServerId server, int pass) {
        return advance(request(seen, server, pass));
    }

    private CompletableFuture<AdvanceHealCursorReply> advance(AdvanceHealCursorRequest.Builder request) {
        return group.submit(advance, RequestOrigin.SERVICE, request.build());
    }

    private static AdvanceHealCursorRequest.Builder request(Seen seen, ServerId server, int pass) {
        AdvanceHealCursorRequest.Builder request = AdvanceHealCursorRequest.newBuilder()
                .setServerId(server.value())
                .setPass(pass)
                .setLimit(PAGE)
                .setWaitingMax(WAITING_MAX);
        seen.withoutGoodCopies().forEach(lost -> request.addLostServerId(lost.value()));
        return request;
    }
}
