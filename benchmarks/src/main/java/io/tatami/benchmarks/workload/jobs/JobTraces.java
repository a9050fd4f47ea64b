package io.tatami.benchmarks.workload.jobs;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.jobhistory.HistoryViewer;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.client.cli.LogsCLI;
import org.apache.hadoop.yarn.webapp.util.WebServiceClient;
import org.jspecify.annotations.Nullable;

/**
 * What a job leaves on the default file system, and who may see it: its history, the logs of its containers, and the
 * directory it was staged in.
 */
final class JobTraces {
    private static final Duration WAIT_MAX = Duration.ofMinutes(3);
    private static final int POLL_MILLIS = 500;
    private static final int STAGING_MODE = 0700;
    private static final int LOGS_MODE = 01777;

    private final Configuration configuration;
    private final FileSystem fs;
    private final java.nio.file.Path work;

    /** @param work a local directory for copies of logs */
    JobTraces(Configuration configuration, java.nio.file.Path work) throws IOException {
        this.configuration = configuration;
        this.work = work;
        this.fs = FileSystem.get(configuration);
    }

    /** Something that comes late, as YARN gathers logs when a program has ended. */
    @FunctionalInterface
    private interface Awaited {
        @Nullable
        String get() throws Exception;
    }

    /** @throws IOException where something is missing, cannot be read, or others could read it */
    String check(JobID job) throws Exception {
        String user = UserGroupInformation.getCurrentUser().getShortUserName();
        Path staging = new Path(configuration.get("yarn.app.mapreduce.am.staging-dir", ""), user + "/.staging");
        requireMode(staging, STAGING_MODE);
        if (!fs.getFileStatus(staging).getOwner().equals(user)) {
            throw new IOException(staging + " is not " + user + "'s");
        }
        Path staged = new Path(staging, job.toString());
        // A job is told to be done before its master ends, which cleans up.
        await("the removal of " + staged, () -> fs.exists(staged) ? null : "done");
        Path logs = new Path(configuration.get("yarn.nodemanager.remote-app-log-dir", ""));
        requireMode(logs, LOGS_MODE);
        String history = await("the history of " + job, () -> history(job));
        String printed = await("the logs of " + job, () -> logs(job, logs, user));
        return "history (" + history.lines().count() + " lines) and logs (" + printed.length() + " characters) of "
                + job + " are on " + fs.getScheme() + " and can be read";
    }

    private void requireMode(Path path, int mode) throws IOException {
        FileStatus status = fs.getFileStatus(path);
        if (status.getPermission().toShort() != mode) {
            throw new IOException(path + " has mode " + status.getPermission());
        }
    }

    private static String await(String what, Awaited awaited) throws Exception {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (true) {
            String found = awaited.get();
            if (found != null) {
                return found;
            }
            if (System.nanoTime() > end) {
                throw new IOException("after " + WAIT_MAX.toSeconds() + " s nothing came of " + what);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** As {@code mapred job -history}; null where the history server has not put it in its place yet. */
    private @Nullable String history(JobID job) throws IOException {
        Path file = find(
                new Path(configuration.get("mapreduce.jobhistory.done-dir", "")),
                path -> path.getName().startsWith(job + "-") && path.getName().endsWith(".jhist"));
        if (file == null) {
            return null;
        }
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            new HistoryViewer(fs.makeQualified(file).toString(), configuration, false).print(out);
        }
        String text = printed.toString(StandardCharsets.UTF_8);
        if (!text.contains(job.toString()) || !text.contains("Status: SUCCEEDED")) {
            throw new IOException(file + " tells nothing of the success of " + job + ":\n" + text);
        }
        return text;
    }

    /** As {@code yarn logs}; null where the log of the application's master is not there yet. */
    private @Nullable String logs(JobID job, Path directory, String user) throws Exception {
        String application = TypeConverter.toYarn(job).getAppId().toString();
        Path gathered = find(
                new Path(directory, user),
                path -> path.toString().contains(application) && !path.getName().endsWith(".tmp"));
        if (gathered == null) {
            return null;
        }
        java.nio.file.Path copies = Files.createTempDirectory(work, "logs");
        // What the command's own main does first.
        WebServiceClient.initialize(configuration);
        LogsCLI logs = new LogsCLI();
        logs.setConf(configuration);
        int exitCode = logs.run(new String[] {"-applicationId", application, "-out", copies.toString()});
        StringBuilder text = new StringBuilder();
        try (Stream<java.nio.file.Path> files = Files.walk(copies)) {
            for (java.nio.file.Path file : files.filter(Files::isRegularFile).toList()) {
                text.append(Files.readString(file));
            }
        }
        return exitCode == 0 && text.indexOf("LogType:syslog") >= 0 ? text.toString() : null;
    }

    private @Nullable Path find(Path directory, PathFilter filter) throws IOException {
        try {
            RemoteIterator<LocatedFileStatus> files = fs.listFiles(directory, true);
            while (files.hasNext()) {
                Path file = files.next().getPath();
                if (filter.accept(file)) {
                    return file;
                }
            }
            return null;
        } catch (FileNotFoundException e) {
            return null;
        }
    }
}
