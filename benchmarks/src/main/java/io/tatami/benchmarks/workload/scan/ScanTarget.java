package io.tatami.benchmarks.workload.scan;

import io.tatami.benchmarks.harness.client.StreamClients;
import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import java.io.IOException;
import java.nio.file.Path;

/** A file system whose data are on a loop device, with a client that scans its one file. Owned by one thread. */
final class ScanTarget {
    private static final String FILES = "/scan";

    private final Peer peer;
    private final LoopDevice device;
    private final String directory;
    private final int mebibytes;
    private final StreamClients client;

    /**
     * What a scan took.
     *
     * @param serverCpuSeconds 0 where the kernel is the server
     */
    record Outcome(double seconds, double clientCpuSeconds, double serverCpuSeconds) {}

    /**
     * Starts the client.
     *
     * @param root where the file system begins in the names of the client's
     * @param work for what the client logs
     */
    ScanTarget(Peer peer, LoopDevice device, String root, ScanOptions options, Path work, Undo undo)
            throws IOException {
        this.peer = peer;
        this.device = device;
        this.directory = root + FILES;
        this.mebibytes = options.mebibytes;
        this.client = new StreamClients(peer, 1, options.bufferKibibytes << 10, work.resolve("client-" + peer.name()));
        undo.add(client::close);
    }

    String name() {
        return peer.name();
    }

    LoopDevice device() {
        return device;
    }

    /** Writes the file. */
    void load() throws IOException {
        client.write(directory, 1, 1, (long) mebibytes << 20);
    }

    /** Reads it from the first byte to the last, with nothing of it in memory at the begin. */
    Outcome scan() throws IOException {
        PageCache.drop();
        CpuMeter meter = new CpuMeter(peer);
        StreamClients.Outcome outcome = client.read(directory, 1, 1, (long) mebibytes << 20);
        return new Outcome(outcome.seconds(), outcome.cpuSeconds(), meter.usedNanos() / 1e9);
    }
}
