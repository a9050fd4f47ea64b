package io.tatami.benchmarks.harness.yarn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.WordCount;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Hadoop's own word count, and what can be said of one run of it. */
public final class WordCountJob {
    private static final int REDUCERS = 2;
    private static final int POLL_MILLIS = 500;
    private static final int STEPS = 10;

    private WordCountJob() {}

    /**
     * What a run told.
     *
     * @param digests of the output files, in order
     */
    public record Outcome(long maps, long dataLocalMaps, double seconds, List<String> digests) {}

    /** @throws IOException where the job fails; YARN's logs tell why */
    public static Outcome run(Configuration configuration, Path input, Path output)
            throws IOException, InterruptedException, ClassNotFoundException {
        Job job = Job.getInstance(configuration, "word count of " + input);
        job.setJarByClass(WordCount.class);
        job.setMapperClass(WordCount.TokenizerMapper.class);
        job.setCombinerClass(WordCount.IntSumReducer.class);
        job.setReducerClass(WordCount.IntSumReducer.class);
        job.setNumReduceTasks(REDUCERS);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
        FileInputFormat.addInputPath(job, input);
        FileOutputFormat.setOutputPath(job, output);
        // There is no command line that Hadoop could parse, of which it would warn.
        job.getConfiguration().setBoolean(Job.USED_GENERIC_PARSER, true);
        long begin = System.nanoTime();
        if (!await(job)) {
            throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Outcome(
                job.getCounters().findCounter(JobCounter.TOTAL_LAUNCHED_MAPS).getValue(),
                job.getCounters().findCounter(JobCounter.DATA_LOCAL_MAPS).getValue(),
                seconds,
                digests(configuration, output));
    }

    /** Tells how far the job is, each time it got a tenth further. */
    private static boolean await(Job job) throws IOException, InterruptedException, ClassNotFoundException {
        job.submit();
        int told = 0;
        while (!job.isComplete()) {
            Thread.sleep(POLL_MILLIS);
            int tenths = (int) ((job.mapProgress() + job.reduceProgress()) * STEPS / 2);
            if (tenths > told) {
                told = tenths;
                System.out.printf(
                        "  maps %.0f %%, reduces %.0f %%%n", job.mapProgress() * 100, job.reduceProgress() * 100);
            }
        }
        return job.isSuccessful();
    }

    private static List<String> digests(Configuration configuration, Path output) throws IOException {
        FileSystem fs = output.getFileSystem(configuration);
        List<String> digests = new ArrayList<>();
        for (FileStatus file : fs.listStatus(output)) {
            if (file.getPath().getName().startsWith("part-")) {
                try (FSDataInputStream in = fs.open(file.getPath())) {
                    digests.add(MD5Hash.digest(in).toString());
                }
            }
        }
        return digests;
    }
}
