package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.peer.Undo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Clusters of one number of servers, so many that they are as many servers as in every other setting. They work at the
 * same time, all or none. Owned by one thread.
 */
final class ScalingSetting implements AutoCloseable {
    private final int servers;
    private final int clientsEach;
    private final List<ScalingCluster> clusters = new ArrayList<>();

    /** @param servers of each cluster */
    ScalingSetting(int servers, int clientsEach) {
        this.servers = servers;
        this.clientsEach = clientsEach;
    }

    /** Starts {@code count} clusters in directories of {@code work}; what has been started is closed with this. */
    void start(int count, Path work, Undo undo) throws IOException, InterruptedException {
        for (int i = 0; i < count; i++) {
            clusters.add(new ScalingCluster("scaling-" + servers + "-" + i, servers, clients(), work, undo));
        }
    }

    int servers() {
        return servers;
    }

    /** Of each cluster. */
    int clients() {
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
     * @return what each cluster did
     */
    List<ScalingCluster.Work> run(MetaOperation operation, String directory, int seconds, int countMax)
            throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.begin(operation, directory, seconds, countMax);
        }
        List<ScalingCluster.Work> works = new ArrayList<>();
        for (ScalingCluster cluster : clusters) {
            works.add(cluster.end());
        }
        return works;
    }

    @Override
    public void close() throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.close();
        }
    }
}
