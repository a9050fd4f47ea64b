package io.tatami.benchmarks.workload.meta;

import java.util.List;
import picocli.CommandLine.Option;

/** How the service is divided over processes, and what each may use of the machine. */
final class ScalingOptions {
    @Option(
            names = "--servers",
            split = ",",
            description = "Instead of the usual run: numbers of metadata servers, one shard and an equal part of a core"
                    + " each, whose rates of mkdirs and creates in one directory are compared. Each must divide the"
                    + " greatest: there are always as many servers, as one cluster or several. Needs root.")
    List<Integer> servers = List.of();

    @Option(
            names = "--clients-each",
            paramLabel = "CLIENTS",
            description = "With --servers: clients for each server of a cluster (default: ${DEFAULT-VALUE}).")
    int clientsEach = 32;

    @Option(
            names = "--cores",
            description = "With --servers: what each server may use of a core, and the namespace group's as much"
                    + " (default: ${DEFAULT-VALUE}).")
    double cores = 0.12;

    @Option(
            names = "--quota-period",
            paramLabel = "MICROSECONDS",
            description = "With --servers: after which a server may use its part again (default: ${DEFAULT-VALUE}).")
    int periodMicros = 10_000;

    @Option(
            names = "--turns",
            description = "With --servers: in how many turns, each setting's in between the others', the seconds of"
                    + " each kind of operation are divided (default: ${DEFAULT-VALUE}).")
    int turns = 5;

    @Option(
            names = "--settle-seconds",
            description =
                    "With --servers: how long each kind of operation goes on under the quotas after each part of the"
                            + " warm-up (default: ${DEFAULT-VALUE}).")
    int settleSeconds = 5;
}
