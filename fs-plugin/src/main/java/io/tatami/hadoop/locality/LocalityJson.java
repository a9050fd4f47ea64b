package io.tatami.hadoop.locality;

import io.tatami.base.TatamiException;
import io.tatami.client.model.Json;
import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.hadoop.locality.LocalityReport.Read;
import io.tatami.hadoop.locality.LocalityReport.Sum;
import io.tatami.hadoop.locality.MapReduceHistory.Attempt;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import io.tatami.protocol.wire.ReadStatistic;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An answer as one JSON object; sizes are in bytes, and names say so. {@code docs/operations.md} lists the fields. */
public final class LocalityJson {
    private static final String NOT_TOLD = "not_told";

    private LocalityJson() {}

    public static String of(LocalityAnswer answer) {
        ReadStatisticsReport counted = answer.counted();
        LocalityReport report = answer.report();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("subject", answer.subject());
        json.put("all_users", counted.ofAllUsers());
        json.put("all_files", answer.isWhole());
        for (Distance distance :
                List.of(Distance.HOST, Distance.RACK, Distance.OTHER_RACK, Distance.UNKNOWN_DISTANCE)) {
            json.put(word(distance), sum(report.of(distance)));
        }
        json.put("cached_bytes", report.cachedBytes());
        json.put("reasons", reasons(report.reasons()));
        json.put("reads_from_other_hosts", report.remote().size());
        json.put(
                "largest_reads_from_other_hosts",
                answer.largest().stream()
                        .map(read -> read(read, answer.path(read)))
                        .toList());
        json.put("not_kept_apart", sum(report.others()));
        json.put(
                "block_servers",
                counted.servers().stream().map(LocalityJson::counts).toList());
        json.put(
                "block_servers_without_answer",
                counted.silent().entrySet().stream()
                        .map(silent -> failure(silent.getKey(), silent.getValue()))
                        .toList());
        LocalityAnswer.Tasks tasks = answer.tasks();
        json.put("history", tasks.history().map(Object::toString).orElse(""));
        json.put(
                "task_attempts",
                tasks.remote().entrySet().stream()
                        .map(task -> task(task.getKey(), task.getValue(), tasks))
                        .toList());
        return Json.text(json);
    }

    private static Map<String, Object> sum(Sum sum) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("bytes", sum.bytes());
        json.put("streams", sum.streams());
        return json;
    }

    private static Map<String, Object> reasons(Map<Reason, Sum> reasons) {
        Map<String, Object> json = new LinkedHashMap<>();
        reasons.forEach((reason, sum) -> json.put(word(reason), sum(sum)));
        return json;
    }

    private static Map<String, Object> read(Read read, String path) {
        ReadStatistic item = read.item();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("volume_bytes", item.getVolumeBytes());
        json.put("cached_bytes", item.getCachedBytes());
        json.put("streams", item.getStreams());
        json.put("path", path);
        json.put("file_id", item.getFileId());
        json.put("user", item.getUser());
        json.put("caller_context", read.context());
        json.put("client_host", item.getClientHost());
        json.put("block_server", server(read.server()));
        json.put("distance", word(item.getDistance()));
        json.put("reason", word(item.getReason()));
        json.put("first_millis", item.getFirstMillis());
        json.put("last_millis", item.getLastMillis());
        return json;
    }

    private static Map<String, Object> server(BlockServerInfo server) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", server.getServerId());
        json.put("host", server.getHost());
        return json;
    }

    private static Map<String, Object> counts(ReadStatisticsReport.OfServer server) {
        Map<String, Object> json = server(server.server());
        json.put("since_millis", server.sinceMillis());
        return json;
    }

    private static Map<String, Object> failure(BlockServerInfo server, TatamiException failure) {
        Map<String, Object> json = server(server);
        json.put("failure", String.valueOf(failure.getMessage()));
        return json;
    }

    private static Map<String, Object> task(String id, List<Read> remote, LocalityAnswer.Tasks tasks) {
        Attempt attempt = tasks.attempts().getOrDefault(id, new Attempt("", List.of()));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", id);
        json.put("in_history", tasks.attempts().containsKey(id));
        json.put("host", attempt.host());
        json.put("split_hosts", attempt.splitHosts());
        json.put("on_split_host", attempt.isOnSplitHost());
        json.put("reasons", reasons(LocalityReport.reasonsOf(remote)));
        return json;
    }

    /** As the rows of {@link LocalityText}. */
    private static String word(Distance distance) {
        return switch (distance) {
            case HOST -> "local";
            case RACK -> "rack";
            case OTHER_RACK -> "remote";
            case UNKNOWN_DISTANCE, UNRECOGNIZED -> NOT_TOLD;
        };
    }

    private static String word(Reason reason) {
        return reason == Reason.UNKNOWN_REASON || reason == Reason.UNRECOGNIZED
                ? NOT_TOLD
                : reason.name().toLowerCase(Locale.ROOT);
    }
}
