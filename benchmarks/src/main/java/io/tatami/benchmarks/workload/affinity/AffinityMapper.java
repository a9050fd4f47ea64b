package io.tatami.benchmarks.workload.affinity;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.yarn.api.ApplicationConstants;

/** Does one task's work, and leaves an {@link AffinityTask} in the job's directory of reports. */
public final class AffinityMapper extends Mapper<NullWritable, NullWritable, NullWritable, NullWritable> {
    @Override
    public void run(Context context) throws IOException {
        AffinitySplit split = (AffinitySplit) context.getInputSplit();
        String node = System.getenv(ApplicationConstants.Environment.NM_HOST.name());
        if (node == null) {
            throw new IOException("the NodeManager does not tell its host");
        }
        long started = ManagementFactory.getRuntimeMXBean().getStartTime();
        AffinityTask task = AffinityJob.work(context.getConfiguration())
                .run(
                        FileSystem.get(context.getConfiguration()),
                        split.number(),
                        split.hosts(),
                        node,
                        started,
                        context::progress);
        Path report = AffinityJob.reports(context.getConfiguration()).resolve(Integer.toString(split.number()));
        Path unfinished = Files.writeString(report.resolveSibling("." + split.number()), task.toString());
        Files.move(unfinished, report, StandardCopyOption.ATOMIC_MOVE);
    }
}
