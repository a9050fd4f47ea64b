package io.tatami.benchmarks.workload.join;

import java.util.List;
import picocli.CommandLine.Option;

/** Which blocks a block server takes over, and how it finishes them. */
final class BlockJoinOptions {
    /** How blocks get to the server that joins. */
    enum By {
        /** The files are asked for one more copy, for which that server is the only place. */
        REPLICATION,
        /** The balancer gives the server its share. */
        BALANCE
    }

    @Option(
            names = "--block-sizes",
            split = ",",
            paramLabel = "SIZE",
            description = "With --blocks: each has clusters of its own (default: 256m,1m,64k).")
    List<String> blockSizes = List.of("256m", "1m", "64k");

    @Option(
            names = "--batches",
            split = ",",
            paramLabel = "N",
            description = "With --blocks: the settings tatami.block.copy.batch.max that are compared; 1 finishes each"
                    + " block by itself (default: 1,1024).")
    List<Integer> batches = List.of(1, 1_024);

    @Option(
            names = "--copies",
            description =
                    "With --blocks: copies before the server joins, on as many servers (default: ${DEFAULT-VALUE}).")
    int copies = 2;

    @Option(
            names = "--by",
            description = "With --blocks: replication asks for one more copy of each block, and balance switches the"
                    + " balancer on (default: ${DEFAULT-VALUE}).")
    By by = By.REPLICATION;

    @Option(
            names = "--client-rate",
            paramLabel = "MB/S",
            description = "With --blocks: what each client writes or reads at most (default: ${DEFAULT-VALUE}).")
    double clientMegabytes = 4;

    @Option(
            names = "--pulls",
            paramLabel = "N",
            description = "With --blocks: the setting tatami.block.pulls.max (default: ${DEFAULT-VALUE}).")
    int pulls = 4;
}
