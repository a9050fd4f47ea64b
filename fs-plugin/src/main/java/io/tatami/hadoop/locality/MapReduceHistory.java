package io.tatami.hadoop.locality;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskAttemptInfo;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskInfo;
import org.jspecify.annotations.Nullable;

/** Where the attempts of a MapReduce job ran, and where their splits were, as its history file says. */
final class MapReduceHistory {
    private static final String STAGING = "/tmp/hadoop-yarn/staging";

    private MapReduceHistory() {}

    /**
     * A task attempt.
     *
     * @param host where it ran; empty where the history does not say
     * @param splitHosts as the input format gave them; none of a reducer
     */
    record Attempt(String host, List<String> splitHosts) {
        boolean isOnSplitHost() {
            return splitHosts.stream().anyMatch(other -> isSame(other, host));
        }

        /** Whether two names are of one host, of which one may have its domain. */
        private static boolean isSame(String one, String other) {
            return one.equalsIgnoreCase(other) || one.startsWith(other + ".") || other.startsWith(one + ".");
        }
    }

    /**
     * Looks where the history server keeps files, and where jobs leave them for it.
     *
     * @return empty where there is none that this user can see
     */
    static Optional<Path> find(JobName job, Configuration configuration) throws IOException {
        if (job.sequence().isEmpty()) {
            return Optional.empty();
        }
        String history = configuration.get("yarn.app.mapreduce.am.staging-dir", STAGING) + "/history";
        String done = configuration.get("mapreduce.jobhistory.done-dir", history + "/done");
        String intermediate =
                configuration.get("mapreduce.jobhistory.intermediate-done-dir", history + "/done_intermediate");
        String file = "job_" + job.part() + "-*.jhist";
        for (Path pattern : List.of(
                new Path(done + "/*/*/*/" + job.serialDirectory() + "/" + file),
                new Path(intermediate + "/*/" + file))) {
            FileStatus @Nullable [] found = pattern.getFileSystem(configuration).globStatus(pattern);
            if (found != null && found.length > 0) {
                return Optional.of(found[0].getPath());
            }
        }
        return Optional.empty();
    }

    /**
     * Reads a history file, as far as it is whole.
     *
     * @return by the attempt's id
     */
    static Map<String, Attempt> read(Path file, Configuration configuration) throws IOException {
        FileSystem files = file.getFileSystem(configuration);
        Map<String, Attempt> attempts = new TreeMap<>();
        for (TaskInfo task :
                new JobHistoryParser(files, file).parse().getAllTasks().values()) {
            List<String> splitHosts = hosts(task.getSplitLocations());
            for (TaskAttemptInfo attempt : task.getAllTaskAttempts().values()) {
                @Nullable String host = attempt.getHostname();
                attempts.put(attempt.getAttemptId().toString(), new Attempt(host == null ? "" : host, splitHosts));
            }
        }
        return attempts;
    }

    private static List<String> hosts(@Nullable String listed) {
        return listed == null
                ? List.of()
                : Arrays.stream(listed.split(","))
                        .map(String::trim)
                        .filter(host -> !host.isEmpty())
                        .toList();
    }
}
