package io.tatami.benchmarks.workload.commit;

import java.util.List;
import picocli.CommandLine.Option;

/** How large a job is. */
final class CommitOptions {
    @Option(names = "--clients", split = ",", description = "Numbers of clients, up to 32 in a JVM (default: 16).")
    List<Integer> clientCounts = List.of(16);

    @Option(names = "--tasks", description = "Tasks of a job, over all clients (default: ${DEFAULT-VALUE}).")
    int tasks = 200;

    @Option(
            names = "--partitions",
            description = "Directories in which each task has a file (default: ${DEFAULT-VALUE}).")
    int partitions = 3;

    @Option(names = "--file-bytes", description = "Of each of these files (default: ${DEFAULT-VALUE}).")
    int fileBytes = 4_096;

    @Option(
            names = "--algorithm",
            description = "1: files get to their place when the job is committed; 2: when their task is"
                    + " (mapreduce.fileoutputcommitter.algorithm.version; default: ${DEFAULT-VALUE}).")
    int algorithm = 1;

    @Option(names = "--jobs", description = "Jobs measured in each round (default: ${DEFAULT-VALUE}).")
    int jobs = 5;

    @Option(
            names = "--warm-up-jobs",
            description = "Jobs before these, unmeasured, as Java compiles the code (default: ${DEFAULT-VALUE}).")
    int warmUpJobs = 15;

    /** As the lines of {@link CommitWorker} say it. */
    CommitJob job(String output) {
        return new CommitJob(output, tasks, partitions, fileBytes, algorithm);
    }
}
