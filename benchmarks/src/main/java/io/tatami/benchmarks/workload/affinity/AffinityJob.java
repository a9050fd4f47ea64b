package io.tatami.benchmarks.workload.affinity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/**
 * A job of MapReduce with maps alone. A node has room for one of its maps, beside the job's master on one of the nodes.
 */
final class AffinityJob {
    /** Of a NodeManager: for a task and a master, and not for two tasks. */
    static final int NODE_MEBIBYTES = 1_536;

    static final int TASK_MEBIBYTES = 1_024;

    private static final String WORK = "bench.affinity.work";
    private static final String REPORTS = "bench.affinity.reports";
    private static final String JAVA_OPTIONS = "mapred.child.java.opts";

    private AffinityJob() {}

    static AffinityWork work(Configuration configuration) {
        return AffinityWork.parse(configuration.get(WORK, ""));
    }

    /** A directory of this machine, which all nodes share. */
    static Path reports(Configuration configuration) {
        return Path.of(configuration.get(REPORTS, ""));
    }

    /** The tasks that have ended. */
    static List<AffinityTask> ended(Path reports) throws IOException {
        List<AffinityTask> tasks = new ArrayList<>();
        try (Stream<Path> files = Files.list(reports)) {
            for (Path file : files.filter(file -> !file.getFileName().toString().startsWith("."))
                    .toList()) {
                tasks.add(AffinityTask.parse(Files.readString(file)));
            }
        }
        return tasks;
    }

    /**
     * Runs one.
     *
     * @param reports empty
     * @throws IOException where it fails; YARN's logs tell why
     */
    static void run(Configuration configuration, AffinityWork work, Path reports)
            throws IOException, InterruptedException, ClassNotFoundException {
        Job job = Job.getInstance(configuration, work.toString());
        Configuration own = job.getConfiguration();
        // There is no command line that Hadoop could parse, of which it would warn.
        own.setBoolean(Job.USED_GENERIC_PARSER, true);
        own.set(WORK, work.toString());
        own.set(REPORTS, reports.toString());
        own.setInt("mapreduce.map.memory.mb", TASK_MEBIBYTES);
        own.setInt("mapreduce.map.maxattempts", 1);
        own.setBoolean("mapreduce.map.speculative", false);
        // The disks are slow: a better compiler would take more of the cores than it saves.
        own.set(JAVA_OPTIONS, own.get(JAVA_OPTIONS, "") + " -XX:TieredStopAtLevel=1");
        job.setInputFormatClass(AffinityInputFormat.class);
        job.setMapperClass(AffinityMapper.class);
        job.setMapOutputKeyClass(NullWritable.class);
        job.setMapOutputValueClass(NullWritable.class);
        job.setOutputFormatClass(NullOutputFormat.class);
        job.setNumReduceTasks(0);
        if (!job.waitForCompletion(false)) {
            throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
        }
    }
}
