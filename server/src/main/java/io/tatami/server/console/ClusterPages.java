package io.tatami.server.console;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.Json;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpQuestion;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What the collector knows, as JSON: an object with the age of the figures, why there are no newer ones, and in
 * {@code data} the figures; null where there are none yet. No answer asks the cluster for anything.
 */
final class ClusterPages {
    private final ClusterCollector collector;
    private final ClusterEvents events;
    private final Clock clock;

    ClusterPages(ClusterCollector collector, ClusterEvents events, Clock clock) {
        this.collector = collector;
        this.events = events;
        this.clock = clock;
    }

    void addTo(HttpRoutes routes) {
        routes.get("/api/cluster", Right.READ, question -> figures(Snapshot::cluster))
                .get("/api/pending", Right.READ, question -> figures(Snapshot::pending))
                .get("/api/plans", Right.READ, question -> figures(Snapshot::plans))
                .get("/api/events", Right.READ, this::events);
    }

    private HttpAnswer figures(Function<Snapshot, byte[]> of) {
        ClusterCollector.State state = collector.state();
        Snapshot snapshot = state.snapshot();
        return inEnvelope(state, snapshot == null ? "null".getBytes(StandardCharsets.UTF_8) : of.apply(snapshot));
    }

    private HttpAnswer inEnvelope(ClusterCollector.State state, byte[] data) {
        Map<String, Object> freshness = new LinkedHashMap<>();
        freshness.put("every_millis", collector.every().toMillis());
        Snapshot snapshot = state.snapshot();
        if (snapshot != null) {
            freshness.put("age_millis", millisSince(snapshot.takenNanos()));
            freshness.put("took_millis", snapshot.tookMillis());
        }
        ClusterCollector.Failure failure = state.failure();
        freshness.put("failure", failure == null ? "" : failure.reason());
        if (failure != null) {
            freshness.put("failed_millis_ago", millisSince(failure.atNanos()));
        }
        byte[] head = Json.text(freshness).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream json = new ByteArrayOutputStream(head.length + data.length + 16);
        json.write(head, 0, head.length - 1);
        json.writeBytes(",\"data\":".getBytes(StandardCharsets.UTF_8));
        json.writeBytes(data);
        json.write('}');
        return HttpAnswer.json(HttpAnswer.OK, json.toByteArray());
    }

    private long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - nanos);
    }

    private HttpAnswer events(HttpQuestion question) throws TatamiException {
        String limit = question.parameter("limit").orElse(String.valueOf(ClusterEvents.KEPT_MAX));
        if (!limit.matches("\\d{1,4}")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, limit + " is no number of events");
        }
        List<Map<String, Object>> found = new ArrayList<>();
        for (ClusterEvents.Event event : events.last(
                question.parameter("kind").orElse(""),
                question.parameter("subject").orElse(""),
                Integer.parseInt(limit))) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("age_millis", Math.max(0, clock.wallMillis() - event.atMillis()));
            json.put("at_millis", event.atMillis());
            json.put("kind", event.kind());
            json.put("subject", event.subject());
            json.put("text", event.text());
            json.put("is_bad", event.isBad());
            found.add(json);
        }
        byte[] data = Json.text(Map.of("events", found, "kept_max", ClusterEvents.KEPT_MAX))
                .getBytes(StandardCharsets.UTF_8);
        return inEnvelope(collector.state(), data);
    }
}
