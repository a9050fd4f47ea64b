package io.tatami.hadoop.locality;

import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadStatistic;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** Answers why the reads of a job, or of the files at a path, were remote. */
public final class LocalityQuestion {
    /** Of the files below a directory; the rest is left out, and said to be. */
    static final int FILES_MAX = 10_000;

    private final TatamiClient client;
    private final Configuration configuration;
    private final int remoteMax;
    private final Duration timeout;

    /**
     * @param configuration by which history files are found
     * @param remoteMax how many remote reads are listed
     * @param timeout for the answers of all block servers to one question, and for the paths of all files
     */
    public LocalityQuestion(TatamiClient client, Configuration configuration, int remoteMax, Duration timeout) {
        this.client = client;
        this.configuration = configuration;
        this.remoteMax = remoteMax;
        this.timeout = timeout;
    }

    /** @param history of a MapReduce job; null to look for it */
    public LocalityAnswer answer(String applicationOrPath, @Nullable Path history) throws IOException {
        Optional<JobName> job = JobName.of(applicationOrPath);
        return job.isPresent()
                ? ofJob(applicationOrPath, job.get(), history)
                : ofPath(TatamiPath.of(applicationOrPath));
    }

    private LocalityAnswer ofJob(String name, JobName job, @Nullable Path history) throws IOException {
        ReadStatisticsRequest filter =
                ReadStatisticsRequest.newBuilder().setContext(job.part()).build();
        ReadStatisticsReport counted = client.cluster().readStatistics(filter, timeout);
        LocalityReport report = LocalityReport.of(counted, job::isIn);
        List<LocalityReport.Read> largest = largest(report);
        // Reads of all users are told to the superuser alone, and so are paths by ids.
        Map<Long, String> paths = counted.ofAllUsers() ? paths(largest) : Map.of();
        return new LocalityAnswer(name, counted, report, largest, paths, true, tasks(job, report, history));
    }

    private LocalityAnswer.Tasks tasks(JobName job, LocalityReport report, @Nullable Path history) throws IOException {
        Map<String, List<LocalityReport.Read>> remote = report.remoteByAttempt();
        if (remote.isEmpty()) {
            return LocalityAnswer.Tasks.NONE;
        }
        Optional<Path> file = history == null ? MapReduceHistory.find(job, configuration) : Optional.of(history);
        return new LocalityAnswer.Tasks(
                remote, file, file.isPresent() ? MapReduceHistory.read(file.get(), configuration) : Map.of());
    }

    private List<LocalityReport.Read> largest(LocalityReport report) {
        return report.remote().stream().limit(remoteMax).toList();
    }

    private Map<Long, String> paths(List<LocalityReport.Read> reads) throws TatamiException {
        Set<FileId> files = new LinkedHashSet<>();
        for (LocalityReport.Read read : reads) {
            // Readers told the ids, and may have told anything.
            if (read.item().getFileId() > 0) {
                files.add(new FileId(read.item().getFileId()));
            }
        }
        Map<Long, String> paths = new LinkedHashMap<>();
        client.cluster().paths(files, timeout).forEach((file, path) -> paths.put(file.value(), path.toString()));
        return paths;
    }

    private LocalityAnswer ofPath(TatamiPath path) throws TatamiException {
        Map<Long, String> files = new LinkedHashMap<>();
        boolean isWhole = collect(client.status(path, false), files);
        ReadStatisticsReport counted = new ReadStatisticsReport(List.of(), Map.of(), true);
        List<Long> ids = List.copyOf(files.keySet());
        for (int from = 0; from < ids.size(); from += RequestLimits.COUNTED_FILES) {
            List<Long> part = ids.subList(from, Math.min(ids.size(), from + RequestLimits.COUNTED_FILES));
            ReadStatisticsRequest filter =
                    ReadStatisticsRequest.newBuilder().addAllFileId(part).build();
            counted = joined(counted, client.cluster().readStatistics(filter, timeout), from > 0);
        }
        LocalityReport report = LocalityReport.of(counted, context -> true);
        return new LocalityAnswer(
                path.toString(), counted, report, largest(report), files, isWhole, LocalityAnswer.Tasks.NONE);
    }

    /**
     * The counts of some files more; sums of what servers could not keep apart come with each answer, and count once.
     */
    private static ReadStatisticsReport joined(
            ReadStatisticsReport before, ReadStatisticsReport more, boolean withoutSums) {
        Map<BlockServerInfo, List<ReadStatistic>> items = new LinkedHashMap<>();
        before.servers().forEach(server -> items.put(server.server(), new ArrayList<>(server.items())));
        Map<BlockServerInfo, Long> since = new LinkedHashMap<>();
        before.servers().forEach(server -> since.put(server.server(), server.sinceMillis()));
        for (ReadStatisticsReport.OfServer server : more.servers()) {
            since.put(server.server(), server.sinceMillis());
            List<ReadStatistic> all = items.computeIfAbsent(server.server(), unused -> new ArrayList<>());
            server.items().stream()
                    .filter(item -> !withoutSums || !item.getOthers())
                    .forEach(all::add);
        }
        Map<BlockServerInfo, TatamiException> silent = new LinkedHashMap<>(before.silent());
        silent.putAll(more.silent());
        List<ReadStatisticsReport.OfServer> servers = new ArrayList<>();
        items.forEach((server, all) ->
                servers.add(new ReadStatisticsReport.OfServer(server, since.getOrDefault(server, 0L), all)));
        return new ReadStatisticsReport(servers, silent, before.ofAllUsers() && more.ofAllUsers());
    }

    /** Whether all files at and below an entry are there. */
    private boolean collect(PathStatus found, Map<Long, String> files) throws TatamiException {
        if (files.size() == FILES_MAX) {
            return false;
        }
        if (!found.isDirectory()) {
            files.put(found.id(), found.path().toString());
            return true;
        }
        DirectoryListing listing = client.list(found.path(), false);
        while (listing.hasNext()) {
            PathStatus entry = listing.next();
            if (!entry.isSymlink() && !collect(entry, files)) {
                return false;
            }
        }
        return true;
    }
}
