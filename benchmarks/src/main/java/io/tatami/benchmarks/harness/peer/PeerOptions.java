package io.tatami.benchmarks.harness.peer;

import java.util.List;
import picocli.CommandLine.Option;

/** Whether Tatami is measured by itself, beside another file system, or not at all. */
public final class PeerOptions {
    private static final String TATAMI = "tatami";

    @Option(names = "--vs", paramLabel = "PEER", description = "hdfs: run the same on HDFS in every round.")
    private String versus = "";

    @Option(names = "--alone", description = "With --vs: that peer alone, without Tatami.")
    private boolean alone;

    @Option(
            names = "--copies",
            description = "Copies of each block, and block servers or DataNodes, where the benchmark has that"
                    + " (default: ${DEFAULT-VALUE}).")
    private int copies = 1;

    /** Of each block, each on a server of its own. */
    public int copies() {
        return copies;
    }

    /** What Tatami is compared with; empty for nothing. */
    public String versus() {
        return versus;
    }

    /** All that are measured. */
    public List<String> names() {
        if (versus.isEmpty()) {
            return List.of(TATAMI);
        }
        return alone ? List.of(versus) : List.of(TATAMI, versus);
    }
}
