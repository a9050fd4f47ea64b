package io.tatami.benchmarks.workload.affinity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** A split for each task of the job's {@link AffinityWork}; without records, as {@link AffinityMapper} reads files. */
public final class AffinityInputFormat extends InputFormat<NullWritable, NullWritable> {
    @Override
    public List<InputSplit> getSplits(JobContext context) throws IOException {
        AffinityWork work = AffinityJob.work(context.getConfiguration());
        FileSystem fs = FileSystem.get(context.getConfiguration());
        try {
            return List.copyOf(AffinitySplit.all(
                    work.tasks(),
                    work.bytes(),
                    number -> hosts(work, fs, number),
                    work.isLocated(),
                    new Random(work.seed())));
        } catch (UncheckedIOException e) {
            throw new IOException("the blocks of the input are not told", e);
        }
    }

    private static List<String> hosts(AffinityWork work, FileSystem fs, int number) {
        try {
            return work.hosts(fs, number);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public RecordReader<NullWritable, NullWritable> createRecordReader(InputSplit split, TaskAttemptContext context) {
        return new RecordReader<>() {
            @Override
            public void initialize(InputSplit ignored, TaskAttemptContext alsoIgnored) {}

            @Override
            public boolean nextKeyValue() {
                return false;
            }

            @Override
            public NullWritable getCurrentKey() {
                return NullWritable.get();
            }

            @Override
            public NullWritable getCurrentValue() {
                return NullWritable.get();
            }

            @Override
            public float getProgress() {
                return 0;
            }

            @Override
            public void close() {}
        };
    }
}
