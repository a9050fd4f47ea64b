package io.tatami.benchmarks.harness.peer;

import java.time.Duration;
import java.util.List;

/** CPU time that a peer's servers used since this was made. */
public final class CpuMeter {
    private final List<ProcessHandle> servers;
    private final long beginNanos;

    public CpuMeter(Peer peer) {
        this.servers = peer.servers();
        this.beginNanos = total();
    }

    public long usedNanos() {
        return total() - beginNanos;
    }

    private long total() {
        return servers.stream()
                .mapToLong(server ->
                        server.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
                .sum();
    }
}
