package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.host.CpuQuota;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * Clusters of one number of servers, so many that they are as many servers as in every other setting, and their
 * clients, who may use what they can. All clusters work at the same time, or none. Each client JVM has as many clients
 * of one cluster as of another, so that also in this a server has it as in every other setting. Owned by one thread.
 */
final class ScalingSetting implements AutoCloseable {
    /**
     * Clients close connections that were idle for so long. With less, those of whoever has no turn would be made anew
     * in the next one, and the more of them a server has, the less it would do of what is measured.
     */
    private static final String IDLE_MAX = "tatami.rpc.ping.interval";

    private final int servers;
    private final int clientsEach;
    private final List<ScalingCluster> clusters = new ArrayList<>();
    private @Nullable WorkerPool clients;

    /**
     * What was done in some time.
     *
     * @param outcome of all clusters
     * @param namespaces what each namespace group's process used
     * @param shards what those of all shards did
     */
    record Work(WorkerPool.Outcome outcome, List<CpuQuota.Usage> namespaces, List<CpuQuota.Usage> shards) {
        /** Of one cluster. */
        double perSecond() {
            return outcome.operations() / outcome.seconds() / namespaces.size();
        }

        /** With what the same setting did at another time. */
        Work plus(Work more) {
            return new Work(outcome.plus(more.outcome), sums(namespaces, more.namespaces), sums(shards, more.shards));
        }

        private static List<CpuQuota.Usage> sums(List<CpuQuota.Usage> some, List<CpuQuota.Usage> more) {
            return IntStream.range(0, some.size())
                    .mapToObj(i -> some.get(i).plus(more.get(i)))
                    .toList();
        }
    }

    /** @param servers of each cluster */
    ScalingSetting(int servers, int clientsEach) {
        this.servers = servers;
        this.clientsEach = clientsEach;
    }

    /** Starts {@code count} clusters in directories of {@code work}; what has been started is closed with this. */
    void start(int count, Path work, Undo undo) throws IOException, InterruptedException {
        for (int i = 0; i < count; i++) {
            clusters.add(new ScalingCluster("scaling-" + servers + "-" + i, servers, work, undo));
        }
        List<Peer> peers = clusters.stream().map(ScalingCluster::peer).toList();
        Configuration configuration = peers.get(0).configuration();
        configuration.set(IDLE_MAX, "50s");
        clients = new WorkerPool(
                peers, configuration, clientsOfCluster() * count, work.resolve("scaling-" + servers + "-clients"));
    }

    int servers() {
        return servers;
    }

    int clientsOfCluster() {
        return clientsEach * servers;
    }

    void makeDirectories(List<String> paths) throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.makeDirectories(paths);
        }
    }

    void limit(double cores, int periodMicros) throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.limit(cores, periodMicros);
        }
    }

    void unlimit() throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.unlimit();
        }
    }

    /**
     * Has all clients of all clusters do this, each cluster's in one directory.
     *
     * @param countMax of a cluster
     */
    Work run(MetaOperation operation, String directory, int seconds, int countMax) throws IOException {
        List<List<CpuQuota.Usage>> before = usages();
        WorkerPool.Outcome outcome = Objects.requireNonNull(clients)
                .run(operation, directory, seconds, Math.max(1, countMax / clientsOfCluster()), true);
        List<List<CpuQuota.Usage>> after = usages();
        List<CpuQuota.Usage> namespaces = new ArrayList<>();
        List<CpuQuota.Usage> shards = new ArrayList<>();
        for (int cluster = 0; cluster < after.size(); cluster++) {
            for (int process = 0; process < after.get(cluster).size(); process++) {
                CpuQuota.Usage used = after.get(cluster)
                        .get(process)
                        .since(before.get(cluster).get(process));
                (process == 0 ? namespaces : shards).add(used);
            }
        }
        return new Work(outcome, namespaces, shards);
    }

    private List<List<CpuQuota.Usage>> usages() throws IOException {
        List<List<CpuQuota.Usage>> usages = new ArrayList<>();
        for (ScalingCluster cluster : clusters) {
            usages.add(cluster.usages());
        }
        return usages;
    }

    @Override
    public void close() throws IOException {
        if (clients != null) {
            clients.close();
        }
        for (ScalingCluster cluster : clusters) {
            cluster.close();
        }
    }
}
