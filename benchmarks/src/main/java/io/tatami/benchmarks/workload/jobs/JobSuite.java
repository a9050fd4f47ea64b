package io.tatami.benchmarks.workload.jobs;

import io.tatami.benchmarks.harness.yarn.TierReads;
import io.tatami.benchmarks.harness.yarn.WordCountJob;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.security.UserGroupInformation;

/** The programs, each with its input and what its result is checked by; what was right is told in a line. */
final class JobSuite {
    private static final long SEED = 42;
    private static final int TEXTS = 3;
    private static final int WORDS_PER_TEXT = 20_000;
    private static final int WORDS_PER_LINE = 10;
    private static final int VOCABULARY = 500;

    private final Configuration configuration;
    private final java.nio.file.Path work;
    private final Path directory = new Path("/jobs");

    /**
     * @param configuration of a YARN and its default file system
     * @param work a local directory
     */
    JobSuite(Configuration configuration, java.nio.file.Path work) {
        this.configuration = configuration;
        this.work = work;
    }

    /**
     * With nothing but a setting that asks for it, the job's input is staged on the cache tier before its tasks read
     * it.
     *
     * @throws IOException where the job counts what was not written, or its input does not come from the tier
     */
    String wordCount() throws Exception {
        Map<String, Integer> expected = new TreeMap<>();
        Path texts = writeTexts(expected);
        Path counts = new Path(directory, "counts");
        TierReads before = TierReads.of(configuration);
        WordCountJob.Outcome outcome = runPlanned(texts, counts);
        TierReads reads = TierReads.of(configuration).since(before);
        Map<String, Integer> counted = counts(counts);
        if (!counted.equals(expected)) {
            throw new IOException("words were counted that were not written so often: " + counted);
        }
        long length = FileSystem.get(configuration).getContentSummary(texts).getLength();
        if (reads.stagedBytes() == 0 || reads.stagedBytes() + reads.lateBytes() < length) {
            throw new IOException(length + " bytes of input were planned, and of what was read it was " + reads);
        }
        return String.format(
                "%d words were counted by %d maps; %d files have bytes, and %d maps were data-local; of %d bytes %d were"
                        + " read from the cache tier, and %d came too late for it",
                TEXTS * WORDS_PER_TEXT,
                outcome.maps(),
                TEXTS,
                outcome.dataLocalMaps(),
                length,
                reads.stagedBytes(),
                reads.lateBytes());
    }

    /** As a process of its own would: file systems that this one has open do not hear of the job's setting. */
    private WordCountJob.Outcome runPlanned(Path texts, Path counts) throws Exception {
        Configuration planned = new Configuration(configuration);
        planned.setBoolean("fs.tatami.prefetch.input", true);
        UserGroupInformation user = UserGroupInformation.createRemoteUser(
                UserGroupInformation.getCurrentUser().getShortUserName());
        try {
            return user.doAs(
                    (PrivilegedExceptionAction<WordCountJob.Outcome>) () -> WordCountJob.run(planned, texts, counts));
        } finally {
            FileSystem.closeAllForUGI(user);
        }
    }

    String terasort(int rows) throws Exception {
        return new TeraJobs(configuration, new Path(directory, "terasort")).run(rows);
    }

    String dfsio(int files, int mebibytesEach) throws Exception {
        return new DfsioJobs(configuration, new Path(directory, "dfsio"), work.resolve("dfsio.log"))
                .run(files, mebibytesEach);
    }

    /** From local files to Tatami, to the other file system, back, and to local files again, each time twice. */
    String copyAround(Path other) throws Exception {
        DistCpJobs.Way twice = new DistCpJobs(configuration)::twice;
        String there = copyThereAndBack(other, twice);
        return there
                + System.lineSeparator()
                + twice.copy(copiedBack(), new Path(work.resolve("copied").toUri()));
    }

    /** From local files to Tatami, to the other file system, and back, each time once. */
    String copyThereAndBack(Path other) throws Exception {
        return copyThereAndBack(other, new DistCpJobs(configuration)::once);
    }

    private String copyThereAndBack(Path other, DistCpJobs.Way way) throws Exception {
        writeTexts(new TreeMap<>());
        Path here = new Path(copiedBack().getParent(), "copied");
        Path there = new Path(other, "/copied");
        return String.join(
                System.lineSeparator(),
                way.copy(new Path(work.resolve("texts").toUri()), here),
                way.copy(here, there),
                way.copy(there, copiedBack()));
    }

    private Path copiedBack() {
        return new Path(directory, "copied-back").makeQualified(FileSystem.getDefaultUri(configuration), null);
    }

    /** Of the job that ended last. */
    String traces() throws Exception {
        Cluster cluster = new Cluster(configuration);
        try {
            JobStatus last = null;
            for (JobStatus status : cluster.getAllJobStatuses()) {
                last = last == null || status.getJobID().compareTo(last.getJobID()) > 0 ? status : last;
            }
            if (last == null) {
                throw new IOException("YARN knows of no job");
            }
            return new JobTraces(configuration, work).check(last.getJobID());
        } finally {
            cluster.close();
        }
    }

    /** The same words each time, locally and on the default file system. */
    private Path writeTexts(Map<String, Integer> counts) throws IOException {
        java.nio.file.Path local = Files.createDirectories(work.resolve("texts"));
        Random random = new Random(SEED);
        for (int text = 0; text < TEXTS; text++) {
            try (Writer out = Files.newBufferedWriter(local.resolve("text-" + text))) {
                for (int i = 1; i <= WORDS_PER_TEXT; i++) {
                    String word = "word" + random.nextInt(VOCABULARY);
                    counts.merge(word, 1, Integer::sum);
                    out.write(word);
                    out.write(i % WORDS_PER_LINE == 0 ? '\n' : ' ');
                }
            }
        }
        // An empty file has a checksum of its own kind.
        Files.deleteIfExists(local.resolve("empty"));
        Files.createFile(local.resolve("empty"));
        FileSystem fs = FileSystem.get(configuration);
        Path texts = new Path(directory, "texts");
        fs.delete(texts, true);
        fs.mkdirs(texts.getParent());
        fs.copyFromLocalFile(new Path(local.toUri()), texts);
        return texts;
    }

    private Map<String, Integer> counts(Path output) throws IOException {
        FileSystem fs = FileSystem.get(configuration);
        Map<String, Integer> counts = new TreeMap<>();
        for (FileStatus file : fs.listStatus(output, path -> path.getName().startsWith("part-"))) {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(fs.open(file.getPath()), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    int tab = line.indexOf('\t');
                    counts.put(line.substring(0, tab), Integer.valueOf(line.substring(tab + 1)));
                }
            }
        }
        return counts;
    }
}
