package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.meta.op.cluster.NoteLeaders;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

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

    /** Where a server said it is, and when. */
    private record Heard(Endpoint endpoint, long nanos) {}

    ServerReports(
            Group<ClusterState> group, Clock clock, ClusterMapHolder maps, ClusterWatch watch, MapAnnouncer announcer) {
        this.group = group;
        this.clock = clock;
        this.maps = maps;
        this.watch = watch;
        this.announcer = announcer;
    }

    /** Answered when the map tells what the server says. */
    CompletableFuture<ReportMetadataServerReply> report(RequestOrigin origin, ReportMetadataServerRequest request) {
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
                newest -> ReportMetadataServerReply.newBuilder().setMap(newest).build());
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

    /** Whether a server has said lately, under the id of the one at {@code endpoint}, that it is elsewhere. */
    boolean isElsewhere(ByteString server, Endpoint endpoint) {
        Heard last = heard.get(server);
        return last != null
                && !last.endpoint().equals(endpoint)
                && clock.monotonicNanos() - last.nanos() < SILENCE_NANOS;
    }
}
