package io.tatami.server.status;

import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes.Measure;
import io.tatami.block.device.SlowDevices;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.model.ClusterStatus;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.VolumeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What {@code tatami status} tells: the cluster as its groups tell it, its metadata servers as they last reported, and
 * each block server that is not dead or gone as it tells itself.
 *
 * @param metadataServers with the replicas that move between them and the times when block servers were heard; empty
 *     where the namespace group does not answer, which knows of them
 */
public record StatusReport(
        ClusterStatus cluster,
        ListMetadataServersReply metadataServers,
        List<ServerState> servers,
        CopiesState copies) {
    /** For all block servers together. */
    private static final Duration SERVERS_TIMEOUT = Duration.ofSeconds(10);

    /**
     * One block server.
     *
     * @param status null where it was not asked or did not answer
     * @param failure why it did not answer; empty where it did, and where it was not asked
     * @param volumes in the order of {@code status}
     */
    public record ServerState(
            BlockServerInfo info, @Nullable BlockServerStatusReply status, String failure, List<VolumeState> volumes) {
        boolean isWell() {
            return info.getState() != BlockServerInfo.State.DEAD
                    && failure.isEmpty()
                    && volumes.stream().allMatch(VolumeState::isWell);
        }
    }

    /** @param slowness why it is slow beside the others of its server, or of the cluster; empty where it is not */
    public record VolumeState(VolumeStatus status, String slowness) {
        /** A volume that is slow or has damaged chunks serves; replicas make up for those. */
        public boolean isWell() {
            return status.getFailure().isEmpty() && status.getStructureDamage().isEmpty();
        }

        public String text() {
            List<String> parts = new ArrayList<>();
            if (!status.getFailure().isEmpty()) {
                parts.add("stopped: " + status.getFailure());
            }
            if (!status.getStructureDamage().isEmpty()) {
                parts.add("damaged: " + status.getStructureDamage());
            }
            if (status.getDamagedChunks() > 0) {
                parts.add(status.getDamagedChunks() + " damaged chunks");
            }
            if (!slowness.isEmpty()) {
                parts.add("slow: " + slowness);
            }
            if (status.getDraining()) {
                String waitsFor = status.getDrainWaitsFor();
                parts.add(
                        status.getBlocks() == 0
                                ? "drained"
                                : waitsFor.isEmpty() ? "draining" : "draining, waits for: " + waitsFor);
            }
            return parts.isEmpty() ? "serves" : String.join("; ", parts);
        }
    }

    public static StatusReport of(ClusterAdmin admin) throws TatamiException {
        ClusterStatus cluster = admin.status();
        List<ServerState> asked = new ArrayList<>();
        for (SideBySide.Answer<BlockServerInfo, Optional<BlockServerStatusReply>> answer :
                SideBySide.ask(cluster.map().getBlockServerList(), SERVERS_TIMEOUT, info -> ask(admin, info))) {
            asked.add(state(answer));
        }
        boolean isKnown =
                cluster.groups().stream().anyMatch(group -> group.group().isNamespace() && group.status() != null);
        return new StatusReport(
                cluster,
                isKnown ? admin.metadataServers(true) : ListMetadataServersReply.getDefaultInstance(),
                withSlowness(asked),
                CopiesState.of(admin, cluster, SERVERS_TIMEOUT));
    }

    /** @param asked without their volumes */
    public static StatusReport of(ClusterStatus cluster, List<MetadataServerInfo> metadata, List<ServerState> asked) {
        return new StatusReport(
                cluster,
                ListMetadataServersReply.newBuilder().addAllServer(metadata).build(),
                withSlowness(asked),
                CopiesState.of(cluster));
    }

    /** The metadata servers alone; none where the namespace group does not answer. */
    public List<MetadataServerInfo> metadata() {
        return metadataServers.getServerList();
    }

    /** What is wrong, the worst first; empty where all is well. */
    public List<Problem> problems() {
        return Problems.of(this);
    }

    /** Whether nothing is wrong but what the cluster makes up for by itself, or what stops no one. */
    public boolean isWell() {
        return cluster.groups().stream().allMatch(group -> group.status() != null)
                && metadata().stream().allMatch(MetadataServersText::isWell)
                && servers.stream().allMatch(ServerState::isWell);
    }

    private static Optional<BlockServerStatusReply> ask(ClusterAdmin admin, BlockServerInfo info)
            throws TatamiException {
        return info.getState() == BlockServerInfo.State.DEAD || info.getState() == BlockServerInfo.State.GONE
                ? Optional.empty()
                : Optional.of(admin.blockServerStatus(info, SERVERS_TIMEOUT.toMillis()));
    }

    private static ServerState state(SideBySide.Answer<BlockServerInfo, Optional<BlockServerStatusReply>> answer) {
        TatamiException failure = answer.failure();
        Optional<BlockServerStatusReply> status = answer.value();
        return new ServerState(
                answer.target(),
                status == null ? null : status.orElse(null),
                failure == null ? "" : String.valueOf(failure.getMessage()),
                List.of());
    }

    /** A server with one volume has nothing to compare it with; here it is compared with all others. */
    private static List<ServerState> withSlowness(List<ServerState> asked) {
        List<SlowDevices.Observation> all = asked.stream()
                .flatMap(server -> volumes(server).stream())
                .map(StatusReport::observed)
                .toList();
        List<ServerState> servers = new ArrayList<>();
        int place = 0;
        for (ServerState server : asked) {
            List<VolumeState> volumes = new ArrayList<>();
            for (VolumeStatus volume : volumes(server)) {
                SlowDevices.Comparison compared = SlowDevices.compare(all, place++);
                boolean isSlow = compared != null && compared.isSlow();
                String own = volume.getSlowness();
                volumes.add(new VolumeState(volume, own.isEmpty() && isSlow ? String.valueOf(compared) : own));
            }
            servers.add(new ServerState(server.info(), server.status(), server.failure(), volumes));
        }
        return servers;
    }

    private static List<VolumeStatus> volumes(ServerState server) {
        return server.status() == null ? List.of() : server.status().getVolumeList();
    }

    private static SlowDevices.Observation observed(VolumeStatus volume) {
        Map<Measure, Long> typical = new EnumMap<>(Measure.class);
        put(typical, Measure.SMALL_READ, volume.getSmallReadMicros());
        put(typical, Measure.LARGE_READ, volume.getLargeReadMicros());
        put(typical, Measure.SMALL_WRITE, volume.getSmallWriteMicros());
        put(typical, Measure.LARGE_WRITE, volume.getLargeWriteMicros());
        return new SlowDevices.Observation(typical, 0);
    }

    private static void put(Map<Measure, Long> typical, Measure measure, long micros) {
        if (micros > 0) {
            typical.put(measure, TimeUnit.MICROSECONDS.toNanos(micros));
        }
    }
}
