package io.tatami.benchmarks.quickstart;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.yarn.WordCountJob;
import io.tatami.benchmarks.harness.yarn.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Starts a cluster, loads text, counts its words by MapReduce on YARN, checks the counts against the same job on local
 * files, tells what happened, and leaves nothing behind, also when it fails or is interrupted.
 */
@Command(
        name = "quickstart",
        mixinStandardHelpOptions = true,
        description =
                "Starts a cluster on this host, runs a MapReduce job over real text on it, checks the result, shows"
                        + " what happened, and leaves no process and no data behind.")
public final class Quickstart implements Callable<Integer> {
    private static final double MIB = 1 << 20;

    @Option(
            names = "--corpus",
            paramLabel = "DIR",
            description = "Text to count, at least 100 MB of it; default: the sources of the libraries of the build.")
    private String corpus = "";

    /** Started last, closed first. */
    private final Undo undo = new Undo();

    private final Steps steps = new Steps(System.out);

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory("tatami-quickstart");
        undo.add(() -> FileUtil.fullyDelete(work.toFile()));
        try {
            String shown = demonstrate(work);
            say("stopping all servers and removing their data");
            undo.run();
            conclude(shown);
            return 0;
        } catch (IOException e) {
            System.err.println("tatami: quickstart failed: " + e.getMessage());
            return 1;
        } finally {
            undo.run();
        }
    }

    /** The three lines that are left to read. */
    private static void conclude(String shown) {
        System.out.println();
        System.out.println("Shown:   " + shown);
        System.out.println("Read on: README.md; docs/ARCHITECTURE.md, how it works; docs/operations.md, how to run it");
        System.out.println("A cluster that stays: bin/tatami start standalone --data DIRECTORY --capacity 100g");
    }

    /** Returns what was shown. */
    private String demonstrate(Path work) throws Exception {
        say("collecting text: the sources of the libraries this was built with");
        Path texts = corpus.isEmpty() ? collect(work) : Path.of(corpus);
        say("starting a Tatami cluster");
        TatamiPeer tatami = TatamiPeer.start(work.resolve("tatami"), "1g");
        undo.add(tatami::close);
        Configuration configuration = tatami.configuration();
        steps.detail("it serves at " + configuration.get("fs.defaultFS"));
        org.apache.hadoop.fs.Path input = load(configuration, texts);
        say("starting YARN: a ResourceManager, a NodeManager and a history server");
        YarnCluster yarn = YarnCluster.start(work.resolve("yarn"), configuration);
        undo.add(yarn::close);
        say("counting words by MapReduce on YARN over Tatami");
        WordCountJob.Outcome counted =
                WordCountJob.run(yarn.configuration(), input, new org.apache.hadoop.fs.Path("/user/counts"));
        steps.detail(String.format(
                "%d maps in %.1f s, %.1f MiB/s of text; %d of them where their bytes are (one host: all can only be)",
                counted.maps(),
                counted.seconds(),
                bytesOf(configuration, input) / MIB / counted.seconds(),
                counted.dataLocalMaps()));
        say("counting the same words on local files");
        WordCountJob.Outcome expected = WordCountJob.run(
                localConfiguration(work),
                new org.apache.hadoop.fs.Path(texts.toUri()),
                new org.apache.hadoop.fs.Path(work.resolve("counts").toUri()));
        if (!counted.digests().equals(expected.digests())) {
            throw new IOException("the counts differ from those on local files: " + counted.digests() + " against "
                    + expected.digests());
        }
        return String.format(
                "MapReduce on YARN counted the words of %.0f MiB on Tatami, with the same result as on local files",
                bytesOf(configuration, input) / MIB);
    }

    private Path collect(Path work) throws IOException, InterruptedException {
        String source = System.getProperty("tatami.source", "");
        if (source.isEmpty()) {
            throw new IOException("this distribution has no sources to count; give a directory of text by --corpus");
        }
        return new Corpus(Path.of(source), Files.createDirectories(work.resolve("corpus")), steps).collect();
    }

    private org.apache.hadoop.fs.Path load(Configuration configuration, Path texts) throws IOException {
        say("copying the text to it");
        FileSystem fs = FileSystem.get(configuration);
        undo.add(FileSystem::closeAll);
        org.apache.hadoop.fs.Path input = new org.apache.hadoop.fs.Path("/user/texts");
        long begin = System.nanoTime();
        fs.copyFromLocalFile(new org.apache.hadoop.fs.Path(texts.toUri()), input);
        double seconds = (System.nanoTime() - begin) / 1e9;
        long bytes = 0;
        for (FileStatus file : fs.listStatus(input)) {
            bytes += file.getLen();
            for (BlockLocation block : fs.getFileBlockLocations(file, 0, file.getLen())) {
                steps.detail(String.format(
                        "%s: bytes %d to %d on %s",
                        file.getPath().getName(),
                        block.getOffset(),
                        block.getOffset() + block.getLength(),
                        Arrays.toString(block.getNames())));
            }
        }
        steps.detail(
                String.format("%.0f MiB in %.1f s, %.0f MiB/s, durable", bytes / MIB, seconds, bytes / MIB / seconds));
        return input;
    }

    private static long bytesOf(Configuration configuration, org.apache.hadoop.fs.Path directory) throws IOException {
        return FileSystem.get(configuration).getContentSummary(directory).getLength();
    }

    private static Configuration localConfiguration(Path work) {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", "file:///");
        configuration.set("mapreduce.framework.name", "local");
        configuration.set("hadoop.tmp.dir", work.resolve("local-runner").toString());
        // Else it is /tmp/hadoop, which the first user of this machine has.
        configuration.set(
                "mapreduce.jobtracker.staging.root.dir",
                work.resolve("local-staging").toString());
        return configuration;
    }

    private void say(String step) {
        steps.say(step);
    }
}
