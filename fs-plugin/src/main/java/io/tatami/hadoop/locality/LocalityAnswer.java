package io.tatami.hadoop.locality;

import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.hadoop.locality.LocalityReport.Read;
import io.tatami.hadoop.locality.MapReduceHistory.Attempt;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * What is known of the reads of a job, or of the files at a path; {@link LocalityText} and {@link LocalityJson} tell
 * it.
 */
public final class LocalityAnswer {
    private final String subject;
    private final ReadStatisticsReport counted;
    private final LocalityReport report;
    private final List<Read> largest;
    private final Map<Long, String> paths;
    private final boolean isWhole;
    private final Tasks tasks;

    /**
     * The task attempts of a job that read from other hosts.
     *
     * @param remote their reads, by the attempt's id
     * @param history the job's history file; empty if none was found
     * @param attempts all attempts in the history file, by their ids
     */
    record Tasks(Map<String, List<Read>> remote, Optional<Path> history, Map<String, Attempt> attempts) {
        static final Tasks NONE = new Tasks(Map.of(), Optional.empty(), Map.of());
    }

    /**
     * @param subject as it was asked about
     * @param largest the remote reads that are listed
     * @param paths of files by their ids, as far as they are known
     * @param isWhole whether all files below a path were counted
     */
    LocalityAnswer(
            String subject,
            ReadStatisticsReport counted,
            LocalityReport report,
            List<Read> largest,
            Map<Long, String> paths,
            boolean isWhole,
            Tasks tasks) {
        this.subject = subject;
        this.counted = counted;
        this.report = report;
        this.largest = largest;
        this.paths = paths;
        this.isWhole = isWhole;
        this.tasks = tasks;
    }

    String subject() {
        return subject;
    }

    ReadStatisticsReport counted() {
        return counted;
    }

    LocalityReport report() {
        return report;
    }

    /** Remote reads, the largest first, no more than were asked for. */
    List<Read> largest() {
        return largest;
    }

    /** Of the file of a read; empty where it is not known. */
    String path(Read read) {
        return paths.getOrDefault(read.item().getFileId(), "");
    }

    boolean isWhole() {
        return isWhole;
    }

    /** None where a path was asked about. */
    Tasks tasks() {
        return tasks;
    }
}
