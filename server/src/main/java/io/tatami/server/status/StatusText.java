package io.tatami.server.status;

import io.tatami.client.model.ClusterStatus;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.rpc.GroupLeaders;
import io.tatami.server.status.StatusReport.ServerState;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A status report for people to read. */
public final class StatusText {
    private static final double MICROS_PER_MILLI = 1_000;

    private final PrintWriter out;

    public StatusText(PrintWriter out) {
        this.out = out;
    }

    public void print(StatusReport report) {
        ClusterStatus cluster = report.cluster();
        out.printf(
                "capacity %s, used %s, free %s%n",
                HumanBytes.ofBytes(cluster.capacityBytes()),
                HumanBytes.ofBytes(cluster.usedBytes()),
                HumanBytes.ofBytes(cluster.freeBytes()));
        printGroups(cluster);
        CopiesText.beyondServers(report).forEach(line -> out.printf("%n%s%n", line));
        CopiesText.print(report, out);
        printReplicas(cluster);
        printMetadata(report.metadata());
        printServers(report.servers());
        printVolumes(report.servers());
        printCaches(report.servers());
        out.flush();
    }

    private void printGroups(ClusterStatus cluster) {
        out.printf(
                "%n%-12s %-22s %12s %12s %10s %10s %10s %10s %10s%n",
                "group", "leader", "files", "directories", "blocks", "leases", "reclaim", "log", "p99");
        for (ClusterStatus.GroupState group : cluster.groups()) {
            GroupStatusReply numbers = group.status();
            if (numbers == null) {
                out.printf("%-12s %-22s %s%n", group.group(), group.address(), group.failure());
            } else {
                out.printf(
                        "%-12s %-22s %12d %12d %10d %10d %10s %10s %10s%n",
                        group.group(),
                        group.address(),
                        numbers.getFiles(),
                        numbers.getDirectories(),
                        numbers.getBlocks(),
                        numbers.getLeases(),
                        HumanBytes.ofBytes(numbers.getPendingReclaimBytes()),
                        logBytes(numbers),
                        changeP99(numbers));
            }
        }
    }

    /** Leaders of earlier releases do not tell. */
    private static String logBytes(GroupStatusReply numbers) {
        return numbers.getLogBytes() == 0 ? "-" : HumanBytes.ofBytes(numbers.getLogBytes());
    }

    private static String changeP99(GroupStatusReply numbers) {
        return numbers.getChangeMicrosP99() == 0
                ? "-"
                : String.format(Locale.ROOT, "%.1f ms", numbers.getChangeMicrosP99() / MICROS_PER_MILLI);
    }

    /** Of groups that several servers hold: which these are. */
    private void printReplicas(ClusterStatus cluster) {
        if (cluster.map().getGroupList().stream().noneMatch(group -> group.getReplicaCount() > 0)) {
            return;
        }
        out.printf("%n%-12s %-22s %s%n", "group", "leader", "replicas");
        for (ClusterStatus.GroupState group : cluster.groups()) {
            String replicas = cluster.replicas(group.group()).stream()
                    .map(StatusText::replica)
                    .collect(Collectors.joining(" "));
            out.printf("%-12s %-22s %s%n", group.group(), group.address(), replicas);
        }
    }

    private void printMetadata(List<MetadataServerInfo> servers) {
        out.printf("%n%-22s %6s %6s  %s%n", "metadata server", "holds", "leads", "state");
        for (MetadataServerInfo server : servers) {
            out.printf(
                    "%-22s %6d %6d  %s%n",
                    MetadataServersText.address(server),
                    server.getHeldGroupCount(),
                    server.getLedGroupCount(),
                    MetadataServersText.isWell(server)
                            ? MetadataServersText.state(server)
                            : MetadataServersText.trouble(server));
        }
    }

    private static String replica(GroupReplica replica) {
        return GroupLeaders.text(replica.getEndpoint()) + (replica.getMember() ? "" : " (joins)");
    }

    private void printServers(List<ServerState> servers) {
        out.printf("%n%-12s %-22s %-10s %12s %12s%n", "block server", "address", "state", "capacity", "free");
        for (ServerState server : servers) {
            BlockServerInfo info = server.info();
            out.printf(
                    "%-12d %-22s %-10s %12s %12s%s%n",
                    info.getServerId(),
                    info.getData().getHost() + ":" + info.getData().getPort(),
                    info.getState().name().toLowerCase(Locale.ROOT),
                    HumanBytes.ofBytes(info.getCapacityBytes()),
                    HumanBytes.ofBytes(info.getFreeBytes()),
                    server.failure().isEmpty() ? "" : "  does not answer: " + server.failure());
        }
    }

    private void printVolumes(List<ServerState> servers) {
        out.printf(
                "%n%-12s %-32s %12s %12s %10s  %s%n", "block server", "volume", "capacity", "free", "blocks", "state");
        for (ServerState server : servers) {
            for (StatusReport.VolumeState volume : server.volumes()) {
                out.printf(
                        "%-12d %-32s %12s %12s %10d  %s%n",
                        server.info().getServerId(),
                        volume.status().getPath(),
                        HumanBytes.ofBytes(volume.status().getCapacityBytes()),
                        HumanBytes.ofBytes(volume.status().getFreeBytes()),
                        volume.status().getBlocks(),
                        volume.text());
            }
        }
    }

    private void printCaches(List<ServerState> servers) {
        List<ServerState> cached = servers.stream()
                .filter(server -> server.status() != null && server.status().hasCache())
                .toList();
        if (cached.isEmpty()) {
            return;
        }
        out.printf(
                "%n%-12s %-32s %12s %12s %12s  %s%n",
                "block server", "cache tier", "capacity", "used", "staged", "state");
        for (ServerState server : cached) {
            if (server.status() != null) {
                CacheStatus cache = server.status().getCache();
                out.printf(
                        "%-12d %-32s %12s %12s %12s  %s%n",
                        server.info().getServerId(),
                        cache.getPath(),
                        HumanBytes.ofBytes(cache.getCapacityBytes()),
                        HumanBytes.ofBytes(cache.getUsedBytes()),
                        HumanBytes.ofBytes(cache.getBytesStaged()),
                        state(cache));
            }
        }
    }

    private static String state(CacheStatus cache) {
        String bad = cache.getDamagedCopies() == 0 ? "" : ", " + cache.getDamagedCopies() + " damaged copies";
        String late = cache.getHangs() == 0 ? "" : ", " + cache.getHangs() + " accesses too late";
        return (cache.getFailure().isEmpty() ? "serves" : "given up: " + cache.getFailure()) + bad + late;
    }
}
