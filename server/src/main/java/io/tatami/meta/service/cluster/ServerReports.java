package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.meta.op.cluster.NoteLeaders;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What metadata servers say of themselves to the namespace's leader: that they are there, and which groups they lead. The
 * map follows the latter. Safe for use by many threads.
 */
final class ServerReports {
    /** A server that was silent for so long may be gone; they report every second. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Group<ClusterState> group;
    private final Clock clock;
    private final ClusterMapHolder maps;
    private final ClusterWatch watch;
    private final MapAnnouncer announcer;
    private final NoteLeaders noteLeaders = new NoteLeaders();
    private final Map<ByteString, Heard> heard = new ConcurrentHashMap<>();
    private final long beganNanos;

    /** Where a server said it is, and when. */
    private record Heard(Endpoint endpoint, long nanos) {}

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
     * Answered when the map tells what the server says.
     *
     * @param orders what servers are told to do
     */
    CompletableFuture<ReportMetadataServerReply> report(
            RequestOrigin origin,
            ReportMetadataServerRequest request,
            Function<ByteString, ReportMetadataServerReply.Builder> orders) {
        heard.put(request.getServerId(), new Heard(request.getEndpoint(), clock.monotonicNanos()));
        CompletableFuture<ClusterMap> map = isKnown(maps.map(), request)
                ? CompletableFuture.completedFuture(maps.map())
                : group.submit(noteLeaders, origin, request)
                        .thenCompose(noted -> watch.refresh())
                        .thenApply(newer -> {
                            var unused = announcer.announce(newer);
                            return newer;
                        });
        return map.thenApply(
                newest -> orders.apply(request.getServerId()).setMap(newest).build());
    }

    private static boolean isKnown(ClusterMap map, ReportMetadataServerRequest request) {
        int known = 0;
        for (GroupLocation location : map.getGroupList()) {
            boolean isLed = request.getLedGroupList().contains(location.getGroup());
            if (isLed && location.getReplicaCount() > 0 && !location.getLeader().equals(request.getEndpoint())) {
                return false;
            }
            known += isLed ? 1 : 0;
        }
        return known == request.getLedGroupCount();
    }

    /** Where a server is by the map; the default where that does not tell. */
    Endpoint endpoint(ByteString server) {
        return maps.endpoint(server);
    }

    /** Servers that were heard of lately and where they are, those with the fewest groups by the map first. */
    List<GroupReplicaRecord> living() {
        long now = clock.monotonicNanos();
        List<GroupReplicaRecord> living = new ArrayList<>();
        heard.forEach((server, last) -> {
            if (now - last.nanos() < SILENCE_NANOS) {
                living.add(GroupReplicaRecord.newBuilder()
                        .setServerId(server)
                        .setHost(last.endpoint().getHost())
                        .setPort(last.endpoint().getPort())
                        .build());
            }
        });
        ClusterMap map = maps.map();
        living.sort(Comparator.<GroupReplicaRecord>comparingInt(server -> held(map, server))
                .thenComparing(GroupReplicaRecord::getServerId, ByteString.unsignedLexicographicalComparator()));
        return living;
    }

    private static int held(ClusterMap map, GroupReplicaRecord server) {
        int held = 0;
        for (GroupLocation location : map.getGroupList()) {
            for (GroupReplica replica : location.getReplicaList()) {
                held += replica.getServerId().equals(server.getServerId()) ? 1 : 0;
            }
        }
        return held;
    }

    /** Whether every server that is there has had the time to say so. */
    boolean hasListenedLong() {
        return clock.monotonicNanos() - beganNanos >= SILENCE_NANOS;
    }

    /** Whether a server has said lately, under the id of the one at {@code endpoint}, that it is elsewhere. */
    boolean isElsewhere(ByteString server, Endpoint endpoint) {
        Heard last = heard.get(server);
        return last != null
                && !last.endpoint().equals(endpoint)
                && clock.monotonicNanos() - last.nanos() < SILENCE_NANOS;
    }
}
