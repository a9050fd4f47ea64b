package io.tatami.benchmarks.workload.jobs;

import io.tatami.benchmarks.harness.host.KeptLogs;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.HdfsPeer;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.yarn.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Hadoop's own programs as jobs on YARN with Tatami as the default file system, everything in processes of its own;
 * each result is checked, and the first that is wrong ends the run. Nothing is measured and nothing is left behind, but
 * logs of a run that failed.
 */
@Command(
        name = "jobs",
        mixinStandardHelpOptions = true,
        description =
                "Runs word count with its input planned, TestDFSIO, TeraSort and distcp to and from HDFS on YARN over Tatami, and checks"
                        + " the results, the jobs' history and their logs.")
public final class JobsCommand implements Callable<Integer> {
    /** In the server's memory. */
    static final List<String> CACHE_TIER = List.of("--cache", "memory", "--cache-size", "64m");

    private static final int DFSIO_FILES = 4;

    @Option(names = "--rows", paramLabel = "N", description = "Rows for TeraSort. Default: ${DEFAULT-VALUE}.")
    private int rows = 500_000;

    @Option(
            names = "--mebibytes",
            paramLabel = "N",
            description = "Of each file of TestDFSIO. Default: ${DEFAULT-VALUE}.")
    private int mebibytes = 32;

    private final Undo undo = new Undo();

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory("tatami-jobs");
        undo.add(() -> FileUtil.fullyDelete(work.toFile()));
        try {
            TatamiPeer tatami = TatamiPeer.start(work.resolve("tatami"), "4g", CACHE_TIER);
            undo.add(tatami::close);
            YarnCluster yarn = YarnCluster.start(work.resolve("yarn"), base(tatami));
            undo.add(yarn::close);
            HdfsPeer hdfs = HdfsPeer.start(work.resolve("hdfs"));
            undo.add(hdfs::close);
            run(
                    new JobSuite(yarn.configuration(), work),
                    new org.apache.hadoop.fs.Path(hdfs.configuration().get("fs.defaultFS")));
            return 0;
        } catch (IOException e) {
            System.err.println("tatami: bench jobs failed: " + e.getMessage());
            tellLogs(work);
            return 1;
        } catch (Exception e) {
            tellLogs(work);
            throw e;
        } finally {
            undo.run();
        }
    }

    private static void tellLogs(Path work) throws IOException {
        System.err.println("tatami: the logs of all servers are kept in " + KeptLogs.of(work));
    }

    /** The history server is to put what it finds in its place at once. */
    static Configuration base(TatamiPeer tatami) {
        Configuration configuration = new Configuration(tatami.configuration());
        configuration.setInt("mapreduce.jobhistory.move.interval-ms", 1_000);
        return configuration;
    }

    private void run(JobSuite suite, org.apache.hadoop.fs.Path hdfs) throws Exception {
        say("word count", suite::wordCount);
        say("terasort", () -> suite.terasort(rows));
        say("dfsio", () -> suite.dfsio(DFSIO_FILES, mebibytes));
        say("distcp", () -> suite.copyAround(hdfs));
        say("traces", suite::traces);
    }

    /** What was found right, and how long it took to find out. */
    private static void say(String what, Callable<String> program) throws Exception {
        long begin = System.nanoTime();
        String told = program.call();
        System.out.printf("%s, %.0f s: %s%n", what, (System.nanoTime() - begin) / 1e9, told);
    }
}
