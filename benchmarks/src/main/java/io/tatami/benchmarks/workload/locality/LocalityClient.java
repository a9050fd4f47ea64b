package io.tatami.benchmarks.workload.locality;

import io.tatami.benchmarks.harness.client.CommandLines;
import io.tatami.benchmarks.harness.yarn.HadoopTool;
import io.tatami.benchmarks.harness.yarn.LabYarn;
import io.tatami.benchmarks.harness.yarn.TierReads;
import io.tatami.benchmarks.harness.yarn.WordCountJob;
import io.tatami.client.model.AccessPlan;
import io.tatami.hadoop.TatamiFileSystem;
import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.locality.LocalityAnswer;
import io.tatami.hadoop.locality.LocalityQuestion;
import io.tatami.hadoop.locality.LocalityText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.TestDFSIO;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Submits jobs on a node, as lines on its standard input say: {@code nodes COUNT} waits for NodeManagers,
 * {@code prepare JOB MIB} makes the input of TeraSort or TestDFSIO, {@code text PART MIB} a part of the text that all
 * other jobs read, {@code stage} has the text staged, {@code run JOB} answers with {@link MapPlaces}, the bytes that
 * came from cache tiers, milliseconds, and the name of the job, and {@code why APPLICATION FILE} writes the report of
 * {@code tatami locality} on an application to a file. Argument: the directory of the configuration.
 */
public final class LocalityClient {
    private static final Path DIRECTORY = new Path("/locality");
    static final Path TEXT = new Path(DIRECTORY, "text");
    private static final Path ROWS = new Path(DIRECTORY, "rows");
    private static final int ROW_BYTES = 100;
    private static final int DFSIO_FILES = 8;
    private static final int VOCABULARY = 5_000;
    private static final int TEXT_CHUNK_BYTES = 1 << 20;
    private static final int POLL_MILLIS = 100;
    private static final int READS_TOLD_MAX = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Configuration configuration;
    private final FileSystem fs;
    private long dfsioMebibytes;
    private int runs;

    /** The plan by which the text was staged last. */
    private UUID staged = new UUID(0, 0);

    private LocalityClient(Configuration configuration) throws IOException {
        this.configuration = configuration;
        this.fs = FileSystem.get(configuration);
    }

    public static void main(String[] words) throws Exception {
        Configuration configuration = LabYarn.read(java.nio.file.Path.of(words[0]));
        LocalityClient client = new LocalityClient(configuration);
        CommandLines.serve(client::answer);
        System.exit(0);
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "nodes" -> {
                LabYarn.awaitNodes(configuration, Integer.parseInt(words[1]));
                // TeraGen has 2 maps by default; its rows are to come from all nodes.
                configuration.setInt(MRJobConfig.NUM_MAPS, Integer.parseInt(words[1]));
            }
            case "prepare" -> prepare(words[1], Long.parseLong(words[2]));
            case "text" -> writeText(words[1], Long.parseLong(words[2]));
            case "stage" -> {
                return stageText();
            }
            case "run" -> {
                return run(words[1]);
            }
            case "why" -> {
                String file = String.join(" ", List.of(words).subList(2, words.length));
                tellWhy(words[1], java.nio.file.Path.of(file));
            }
            default -> throw new IOException("there is no command " + words[0]);
        }
        return "";
    }

    private void prepare(String job, long mebibytes) throws Exception {
        switch (job) {
            case "terasort" ->
                HadoopTool.run(
                        configuration, new TeraGen(), Long.toString((mebibytes << 20) / ROW_BYTES), ROWS.toString());
            case "dfsio" -> {
                dfsioMebibytes = Math.max(1, mebibytes / DFSIO_FILES);
                dfsio("-write");
            }
            default -> throw new IOException("there is no job " + job);
        }
    }

    private void writeText(String part, long mebibytes) throws IOException {
        Random random = new Random(part.hashCode());
        try (FSDataOutputStream out = fs.create(new Path(TEXT, part), true)) {
            for (long chunk = 0; chunk < mebibytes; chunk++) {
                StringBuilder text = new StringBuilder(TEXT_CHUNK_BYTES);
                while (text.length() < TEXT_CHUNK_BYTES) {
                    text.append("word").append(random.nextInt(VOCABULARY)).append(random.nextInt(8) == 0 ? '\n' : ' ');
                }
                text.setLength(TEXT_CHUNK_BYTES);
                out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    private String run(String job) throws Exception {
        Path output = new Path(DIRECTORY, "out-" + ++runs);
        try (MapPlaces.Watch watch = new MapPlaces.Watch(configuration)) {
            boolean isStaged = job.startsWith("staged");
            TierReads before = isStaged ? TierReads.of(configuration) : new TierReads(0, 0);
            long beginNanos = System.nanoTime();
            switch (job) {
                case "wordcount" -> WordCountJob.run(configuration, TEXT, output);
                case "staged", "staged-all-hosts" -> countStaged(job.equals("staged"), output);
                case "terasort" -> HadoopTool.run(configuration, new TeraSort(), ROWS.toString(), output.toString());
                case "dfsio" -> dfsio("-read");
                default -> throw new IOException("there is no job " + job);
            }
            long millis = (System.nanoTime() - beginNanos) / 1_000_000;
            MapPlaces.Ended ended = watch.ended();
            fs.delete(output, true);
            TierReads reads = isStaged ? TierReads.of(configuration).since(before) : before;
            if (isStaged) {
                ((TatamiFileSystem) fs).cancelPlan(staged);
            }
            return ended.places() + " " + reads.stagedBytes() + " " + millis + " " + ended.job();
        }
    }

    /**
     * Returns once all of the text is on cache tiers, with the number of copies and of staged blocks of each host, and
     * of blocks that are staged on another host than their first copy: that is where the part was written, which has
     * the host's name.
     */
    private String stageText() throws IOException, InterruptedException {
        TatamiFileSystem tatami = (TatamiFileSystem) fs;
        FileStatus[] parts = fs.listStatus(TEXT);
        List<AccessPlan.Read> reads = new ArrayList<>();
        for (FileStatus part : parts) {
            reads.add(tatami.planned(part.getPath()));
        }
        AccessPlan plan = AccessPlan.inOrder(reads).withReleaseAfterRead();
        staged = plan.id();
        tatami.prefetch(plan);
        while (tatami.planProgress(plan.id()).remainingBytes() > 0) {
            Thread.sleep(POLL_MILLIS);
        }
        Map<String, Integer> copies = new TreeMap<>();
        Map<String, Integer> onTiers = new TreeMap<>();
        int elsewhere = 0;
        for (FileStatus part : parts) {
            for (BlockLocation block : fs.getFileBlockLocations(part, 0, part.getLen())) {
                List.of(block.getHosts()).forEach(host -> copies.merge(host, 1, Integer::sum));
                List<String> tiers = List.of(block.getCachedHosts());
                tiers.forEach(host -> onTiers.merge(host, 1, Integer::sum));
                elsewhere += tiers.contains(part.getPath().getName()) ? 0 : 1;
            }
        }
        return "copies by host " + copies + ", staged " + onTiers + ", " + elsewhere
                + " elsewhere than their first copy";
    }

    /** As a process of its own would: file systems that this one has open do not hear of the job's setting. */
    private void countStaged(boolean stagedOnly, Path output) throws Exception {
        Configuration own = new Configuration(configuration);
        own.setBoolean("fs.tatami.locations.staged-only", stagedOnly);
        UserGroupInformation user = UserGroupInformation.createRemoteUser(
                UserGroupInformation.getCurrentUser().getShortUserName());
        try {
            user.doAs((PrivilegedExceptionAction<WordCountJob.Outcome>) () -> WordCountJob.run(own, TEXT, output));
        } finally {
            FileSystem.closeAllForUGI(user);
        }
    }

    private void tellWhy(String application, java.nio.file.Path file) throws IOException {
        try (TatamiCalls calls = TatamiCalls.connect(fs.getUri(), configuration);
                PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            LocalityAnswer answer = new LocalityQuestion(calls.client(), configuration, READS_TOLD_MAX, TIMEOUT)
                    .answer(application, null);
            new LocalityText(out).print(answer);
        }
    }

    private void dfsio(String what) throws Exception {
        Configuration own = new Configuration(configuration);
        own.set("test.build.data", new Path(DIRECTORY, "dfsio").toString());
        java.nio.file.Path results = Files.createTempFile("dfsio", ".log");
        try {
            HadoopTool.run(
                    own,
                    new TestDFSIO(),
                    what,
                    "-nrFiles",
                    Integer.toString(DFSIO_FILES),
                    "-size",
                    dfsioMebibytes + "MB",
                    "-resFile",
                    results.toString());
        } finally {
            Files.deleteIfExists(results);
        }
    }
}
