package io.tatami.benchmarks.workload.ior;

import java.util.List;
import picocli.CommandLine.Option;

/** What is measured, and on what. */
final class IorOptions {
    @Option(
            names = "--servers",
            split = ",",
            paramLabel = "COUNT",
            description = "Numbers of block servers, each in a lab of its own (default: 1,2,4,8,10).")
    List<Integer> servers = List.of(1, 2, 4, 8, 10);

    @Option(
            names = "--writers",
            split = ",",
            paramLabel = "COUNT",
            description = "Numbers of writers, each with one file (default: 1,8,32,128).")
    List<Integer> writers = List.of(1, 8, 32, 128);

    @Option(
            names = "--transfers",
            split = ",",
            paramLabel = "SIZE",
            converter = ByteSize.Converter.class,
            description = "Bytes of each call of a writer (default: 4k,64k,1m,4m).")
    List<ByteSize> transfers = List.of(ByteSize.of("4k"), ByteSize.of("64k"), ByteSize.of("1m"), ByteSize.of("4m"));

    @Option(
            names = "--disk-rate",
            paramLabel = "SIZE",
            converter = ByteSize.Converter.class,
            description = "Bytes that each volume writes in a second; low, so that the cores are not the limit"
                    + " (default: 8m).")
    ByteSize diskRate = ByteSize.of("8m");

    @Option(
            names = "--seconds",
            description = "How long the volumes need for a cell's files at least, if each gets as much"
                    + " (default: ${DEFAULT-VALUE}).")
    int seconds = 10;

    @Option(
            names = "--local",
            description = "Files are placed on their writer's node; else as those of clients that are on no node with"
                    + " a block server.")
    boolean isLocal;

    @Option(
            names = "--cores-max",
            paramLabel = "PERCENT",
            description = "A measurement in which the machine's cores are busier is void (default: ${DEFAULT-VALUE}).")
    int coresPercentMax = 60;
}
