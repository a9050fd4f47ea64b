package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.host.CpuQuota;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.MetadataCluster;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.Peers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;

/** One metadata service of several processes, each of which may be held to a part of a core. Owned by one thread. */
final class ScalingCluster implements AutoCloseable {
    private final List<CpuQuota> quotas = new ArrayList<>();
    private final Peer peer;

    /** @param name of a directory, which is made anew, and of its control groups */
    ScalingCluster(String name, int servers, Path work, Undo undo) throws IOException, InterruptedException {
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
    }

    Peer peer() {
        return peer;
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

    /** Of the namespace group's process, and behind it of each shard's. */
    List<CpuQuota.Usage> usages() throws IOException {
        List<CpuQuota.Usage> usages = new ArrayList<>();
        for (CpuQuota quota : quotas) {
            usages.add(quota.usage());
        }
        return usages;
    }

    private void closeQuotas() throws IOException {
        for (CpuQuota quota : quotas) {
            quota.close();
        }
    }

    /** Without a limit, under which a process would take long to end. */
    @Override
    public void close() throws IOException {
        unlimit();
        try {
            peer.close();
        } finally {
            closeQuotas();
        }
    }
}
