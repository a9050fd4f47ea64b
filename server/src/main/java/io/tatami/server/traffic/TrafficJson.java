package io.tatami.server.traffic;

import io.tatami.base.DirectoryId;
import io.tatami.client.model.Json;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.traffic.TrafficRates.Rate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rates as one JSON object; names say what is a second. */
public final class TrafficJson {
    private static final String REQUESTS = "requests_per_second";

    private TrafficJson() {}

    /**
     * One line.
     *
     * @param rows of each list at most
     * @param paths of directories; one without has an empty path
     */
    public static String of(TrafficRates rates, Map<DirectoryId, TatamiPath> paths, int rows) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put(REQUESTS, rates.requests());
        all.put("measured_groups", rates.measuredGroups());
        all.put("users", named("user", rates.users(), rows));
        all.put("clients", named("address", rates.clients(), rows));
        all.put("directories", directories(rates.directories(), paths, rows));
        all.put("metadata_servers", named("address", rates.metadataServers(), rows));
        all.put(
                "block_servers",
                rates.blockServers().stream()
                        .limit(rows)
                        .map(TrafficJson::server)
                        .toList());
        all.put(
                "unmeasured",
                rates.unmeasured().stream().map(TrafficJson::unmeasured).toList());
        return Json.text(all);
    }

    private static List<Map<String, Object>> named(String name, List<Rate<String>> rates, int rows) {
        return rates.stream()
                .limit(rows)
                .map(rate -> {
                    Map<String, Object> fields = new LinkedHashMap<>();
                    fields.put(name, rate.key());
                    fields.put(REQUESTS, rate.perSecond());
                    return fields;
                })
                .toList();
    }

    /** Also for pages, each by its id and its path. */
    public static List<Map<String, Object>> directories(
            List<Rate<DirectoryId>> rates, Map<DirectoryId, TatamiPath> paths, int rows) {
        return rates.stream()
                .limit(rows)
                .map(rate -> {
                    TatamiPath path = paths.get(rate.key());
                    Map<String, Object> fields = new LinkedHashMap<>();
                    fields.put("id", rate.key().value());
                    fields.put("path", path == null ? "" : path.toString());
                    fields.put(REQUESTS, rate.perSecond());
                    return fields;
                })
                .toList();
    }

    private static Map<String, Object> server(TrafficRates.ServerRate server) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", server.id());
        fields.put("address", server.address());
        fields.put("bytes_read_per_second", server.read());
        fields.put("bytes_written_per_second", server.written());
        return fields;
    }

    /** Also for pages: which group or block server has no rate, and why. */
    public static Map<String, Object> unmeasured(TrafficRates.Unmeasured unmeasured) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subject", unmeasured.subject());
        fields.put("reason", unmeasured.reason());
        return fields;
    }
}
