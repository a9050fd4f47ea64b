package io.tatami.benchmarks.workload.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.HdfsPeer;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.yarn.YarnCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Some of what {@code bench jobs} does, in small: jobs on YARN's own daemons with Tatami as the default file system,
 * everything in processes of its own. What is wrong is an exception that says so.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobsOnYarnTest {
    /** A master and three tasks at once. */
    private static final int CONTAINERS_MEBIBYTES = 2048;

    private static final Undo UNDO = new Undo();

    private static Path work;
    private static Configuration configuration;

    @BeforeAll
    static void startYarnOverTatami() throws Exception {
        // Not below the build's directory: MapReduce's commands cannot name one that has spaces in its path.
        work = Files.createTempDirectory(Path.of("/tmp"), "tatami-jobs-test");
        UNDO.add(() -> FileUtil.fullyDelete(work.toFile()));
        TatamiPeer tatami = TatamiPeer.start(work.resolve("tatami"), "1g", JobsCommand.CACHE_TIER);
        UNDO.add(tatami::close);
        YarnCluster yarn = YarnCluster.start(work.resolve("yarn"), withoutWaits(tatami), CONTAINERS_MEBIBYTES);
        UNDO.add(yarn::close);
        configuration = yarn.configuration();
        configuration.setBoolean("mapreduce.map.speculative", false);
        configuration.setBoolean("mapreduce.reduce.speculative", false);
        // Tasks do as little as their masters here, and are to be there as soon.
        configuration.set("mapred.child.java.opts", configuration.get("yarn.app.mapreduce.am.command-opts"));
    }

    /** YARN's daemons, masters and clients ask each other once a second and less; these jobs take a few seconds. */
    private static Configuration withoutWaits(TatamiPeer tatami) {
        Configuration base = JobsCommand.base(tatami);
        base.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
        base.setInt("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 100);
        base.setInt("mapreduce.client.progressmonitor.pollinterval", 100);
        base.setInt("mapreduce.client.completion.pollinterval", 100);
        base.setInt("mapreduce.jobhistory.move.interval-ms", 200);
        return base;
    }

    @AfterAll
    static void leaveNothing() {
        UNDO.run();
    }

    @Test
    void aJobReadsItsPlannedInputFromTheCacheTierAndLeavesItsHistoryAndLogsOnTatami() throws Exception {
        JobSuite suite = new JobSuite(configuration, work);
        String counted = suite.wordCount();
        String traces = suite.traces();
        assertTrue(traces.endsWith("are on tatami and can be read"), counted + "\n" + traces);
    }

    @Test
    void distcpCopiesTreesFromLocalFilesToTatamiToHdfsAndBack() throws Exception {
        HdfsPeer hdfs = HdfsPeer.start(work.resolve("hdfs"));
        UNDO.add(hdfs::close);
        // The tasks in their master's process: it is about what they copy.
        Configuration small = new Configuration(configuration);
        small.setBoolean("mapreduce.job.ubertask.enable", true);
        String told = new JobSuite(small, work)
                .copyThereAndBack(
                        new org.apache.hadoop.fs.Path(hdfs.configuration().get("fs.defaultFS")));
        List<String> copies = told.lines().toList();
        assertEquals(3, copies.size(), told);
        assertTrue(copies.get(1).endsWith("from tatami to hdfs; the bytes are the same, and so are 4 checksums"), told);
        assertTrue(copies.get(2).endsWith("from hdfs to tatami; the bytes are the same, and so are 4 checksums"), told);
    }
}
