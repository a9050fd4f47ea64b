package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.cluster.NoteReport;
import io.tatami.meta.op.cluster.ReadOrders;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.ReplicaOrders;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import io.tatami.rpc.MapChanges;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What metadata servers say of themselves to the namespace's leader: that they are there, and which groups they hold
 * and lead. Records and map follow, and the answer tells what the server is to open or drop. Safe for use by many
 * threads.
 */
final class ServerReports {
    /** A server that was silent for so long may be gone; they report every second. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** One that was silent for so long is not waited for. */
    private static final long LONG_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A server that was there for so long is not one that starts again and again. */
    private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Group<ClusterState> group;
    private final Clock clock;
    private final ClusterMapHolder maps;
    private final ClusterWatch watch;
    private final MapAnnouncer announcer;
    private final long beganNanos;
    private final ReadOrders readOrders = new ReadOrders();
    private final NoteReport noteReport = new NoteReport();
    private final HandOvers handOvers = new HandOvers(this);
    private final Map<ByteString, Heard> heard = new ConcurrentHashMap<>();

    /**
     * What a server said.
     *
     * @param nanos when
     * @param sinceNanos from when on it was never silent for long
     */
    private record Heard(ReportMetadataServerRequest report, long nanos, long sinceNanos) {}

    ServerReports(
            Group<ClusterState> group, Clock clock, ClusterMapHolder maps, ClusterWatch watch, MapAnnouncer announcer) {
        this.group = group;
        this.clock = clock;
        this.maps = maps;
        this.watch = watch;
        this.announcer = announcer;
        this.beganNanos = clock.monotonicNanos();
    }

    /**
     * Answered when the map tells what the server says. The orders are as of after it was asked, and the server asks
     * again only when it has the answer or does not want it any more: so it never follows old ones.
     */
    CompletableFuture<ReportMetadataServerReply> report(RequestOrigin origin, ReportMetadataServerRequest request) {
        long now = clock.monotonicNanos();
        heard.compute(request.getServerId(), (server, last) -> {
            boolean goesOn =
                    last != null && last.report().getRun() == request.getRun() && now - last.nanos() < SILENCE_NANOS;
            return new Heard(request, now, goesOn ? last.sinceNanos() : now);
        });
        return group.read(readOrders, origin, request)
                .thenCompose(orders -> noted(origin, request, orders).thenApply(map -> reply(map, request, orders)));
    }

    private CompletableFuture<ClusterMap> noted(
            RequestOrigin origin, ReportMetadataServerRequest request, ReplicaOrders orders) {
        if (!orders.getIsNews()) {
            return CompletableFuture.completedFuture(maps.map());
        }
        return group.submit(noteReport, origin, request)
                .thenCompose(noted -> watch.refresh())
                .thenApply(newer -> {
                    var unused = announcer.announce(newer);
                    return newer;
                });
    }

    private ReportMetadataServerReply reply(ClusterMap map, ReportMetadataServerRequest request, ReplicaOrders orders) {
        ReportMetadataServerReply.Builder reply = ReportMetadataServerReply.newBuilder();
        MapChanges.since(map, request.getKnownMap()).ifPresentOrElse(reply::setMapChanges, () -> reply.setMap(map));
        return reply.addAllOpenGroup(orders.getOpenGroupList())
                .addAllDropGroup(orders.getDropGroupList())
                .addAllReplicateGroup(orders.getReplicateGroupList())
                .setRemoved(orders.getRemoved())
                .setSuperseded(orders.getSuperseded())
                .setReportSoon(orders.getReportSoon())
                .addAllHandOver(handOvers.of(map, request, orders.getPreferredList()))
                .build();
    }

    /** Whether a server has been there for a while, and still is. */
    boolean isSteady(ByteString server) {
        Heard last = heard.get(server);
        return last != null && isWithin(last, SILENCE_NANOS) && last.nanos() - last.sinceNanos() >= STEADY_NANOS;
    }

    /** Whether a server said last that others are to lead in its place. */
    boolean isLowOnSpace(ByteString server) {
        Heard last = heard.get(server);
        return last != null && last.report().getLowSpace();
    }

    /** How far a server said last that its clock is ahead and not followed; 0 where it is followed. */
    long clockAheadSeconds(ByteString server) {
        Heard last = heard.get(server);
        return last == null ? 0 : last.report().getClockAheadSeconds();
    }

    /** The release of a server, as it said last; empty where it has not. */
    String version(ByteString server) {
        Heard last = heard.get(server);
        return last == null ? "" : last.report().getVersion();
    }

    /** Where a server is by the map; the default where that does not tell. */
    Endpoint endpoint(ByteString server) {
        return maps.endpoint(server);
    }

    /** Whether a server has said lately, under the id of the one at {@code endpoint}, that it is elsewhere. */
    boolean isElsewhere(ByteString server, Endpoint endpoint) {
        Heard last = heard.get(server);
        return last != null && !last.report().getEndpoint().equals(endpoint) && isWithin(last, SILENCE_NANOS);
    }

    /** Of whom was heard. */
    LivingServers living() {
        LivingServers.Builder living =
                LivingServers.newBuilder().setAllLately(clock.monotonicNanos() - beganNanos < LONG_SILENCE_NANOS);
        heard.forEach((server, last) -> {
            if (isWithin(last, SILENCE_NANOS)) {
                living.addLiving(server);
            }
            if (isWithin(last, LONG_SILENCE_NANOS)) {
                living.addLately(server);
            }
        });
        return living.build();
    }

    /** Whether every server that is there has had the time to say so. */
    boolean hasListenedLong() {
        return clock.monotonicNanos() - beganNanos >= SILENCE_NANOS;
    }

    /** Why a leader does not say yet who is there; it {@linkplain #hasListenedLong will know} in a moment. */
    static TatamiException unheard() {
        return new TatamiException(ErrorCode.UNAVAILABLE, "the list of metadata servers is not known yet; ask again");
    }

    private boolean isWithin(Heard last, long nanos) {
        return clock.monotonicNanos() - last.nanos() < nanos;
    }

    /** A server's replica of a group as it was when it last said so; the default where it has said nothing. */
    HeldReplica held(ByteString server, int ofGroup) {
        return held(server).stream()
                .filter(held -> held.getGroup() == ofGroup)
                .findFirst()
                .orElse(HeldReplica.getDefaultInstance());
    }

    /** A server's replicas that have stopped, as it last said. */
    List<HeldReplica> stopped(ByteString server) {
        return held(server).stream()
                .filter(held -> !held.getFailure().isEmpty())
                .toList();
    }

    /** A server's replicas, as it last said. */
    List<HeldReplica> held(ByteString server) {
        Heard last = heard.get(server);
        return last == null ? List.of() : last.report().getHeldList();
    }
}
