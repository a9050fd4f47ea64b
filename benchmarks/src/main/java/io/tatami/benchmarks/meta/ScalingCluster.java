package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.peer.CpuQuota;
import io.tatami.benchmarks.peer.MetadataCluster;
import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.Peers;
import io.tatami.benchmarks.peer.Undo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;

/**
 * One metadata service of several processes, each of which may be held to a part of a core, and its clients, which may
 * not. Owned by one thread.
 */
final class ScalingCluster implements AutoCloseable {
    private final List<CpuQuota> quotas = new ArrayList<>();
    private final Peer peer;
    private final int clientCount;
    private final WorkerPool clients;
    private List<CpuQuota.Usage> before = List.of();

    /**
     * What was done between a beginning and its end.
     *
     * @param namespace what the namespace group's process used
     * @param shards what those of the shards did
     */
    record Work(WorkerPool.Outcome outcome, CpuQuota.Usage namespace, List<CpuQuota.Usage> shards) {
        double perSecond() {
            return outcome.operations() / outcome.seconds();
        }

        /**
         * With what was done at another time, or by another cluster with as many shards: their seconds, too, add up.
         */
        Work plus(Work more) {
            List<CpuQuota.Usage> sums = new ArrayList<>();
            for (int i = 0; i < shards.size(); i++) {
                sums.add(shards.get(i).plus(more.shards.get(i)));
            }
            return new Work(outcome.plus(more.outcome), namespace.plus(more.namespace), sums);
        }
    }

    /** @param name of a directory, which is made anew, and of its control groups */
    ScalingCluster(String name, int servers, int clients, Path work, Undo undo)
            throws IOException, InterruptedException {
        clientCount = clients;
        Path directory = work.resolve(name);
        MetadataCluster.Shape shape = new MetadataCluster.Shape(servers, servers, servers);
        try {
            peer = Peers.inTurn(
                    directory,
                    undo,
                    () -> MetadataCluster.start(directory, shape, (number, process) -> {
                        CpuQuota quota = new CpuQuota(name + "-" + number);
                        quotas.add(quota);
                        // Also where this program is interrupted; the processes are gone by then, or go with it.
                        undo.add(quota::close);
                        quota.add(process);
                    }));
        } catch (IOException | InterruptedException e) {
            closeQuotas();
            throw e;
        }
        try {
            this.clients = new WorkerPool(peer, clients, directory.resolve("clients"));
        } catch (IOException e) {
            closeServers();
            throw e;
        }
    }

    void makeDirectories(List<String> paths) throws IOException {
        try (FileSystem fs = FileSystem.newInstance(peer.configuration())) {
            for (String path : paths) {
                fs.mkdirs(new org.apache.hadoop.fs.Path(path));
            }
        }
    }

    /** Holds each process to {@code cores} from now on, in periods of so many microseconds. */
    void limit(double cores, int periodMicros) throws IOException {
        for (CpuQuota quota : quotas) {
            quota.limit(cores, periodMicros);
        }
    }

    void unlimit() throws IOException {
        for (CpuQuota quota : quotas) {
            quota.unlimit();
        }
    }

    /**
     * Has every client do this in one directory, all together at most {@code countMax} times; {@link #end} must follow.
     */
    void begin(MetaOperation operation, String directory, int seconds, int countMax) throws IOException {
        before = usages();
        clients.begin(operation, directory, seconds, Math.max(1, countMax / clientCount), true);
    }

    Work end() throws IOException {
        WorkerPool.Outcome outcome = clients.end();
        List<CpuQuota.Usage> used = new ArrayList<>();
        List<CpuQuota.Usage> after = usages();
        for (int i = 0; i < after.size(); i++) {
            used.add(after.get(i).since(before.get(i)));
        }
        return new Work(outcome, used.get(0), used.subList(1, used.size()));
    }

    private List<CpuQuota.Usage> usages() throws IOException {
        List<CpuQuota.Usage> usages = new ArrayList<>();
        for (CpuQuota quota : quotas) {
            usages.add(quota.usage());
        }
        return usages;
    }

    private void closeServers() throws IOException {
        try {
            peer.close();
        } finally {
            closeQuotas();
        }
    }

    private void closeQuotas() throws IOException {
        for (CpuQuota quota : quotas) {
            quota.close();
        }
    }

    /** Without a limit, under which a process would take long to end. */
    @Override
    public void close() throws IOException {
        clients.close();
        unlimit();
        closeServers();
    }
}
