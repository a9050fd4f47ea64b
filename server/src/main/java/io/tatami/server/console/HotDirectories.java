package io.tatami.server.console;

import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpJson;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
import io.tatami.server.traffic.TrafficJson;
import io.tatami.server.traffic.TrafficRates;
import io.tatami.server.traffic.TrafficReading;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The directories of which clients ask most, for administrators, as others may not know the paths. Rates are those
 * since the question before, if that was between a second and a minute ago. Otherwise the answer has none, and the page
 * asks again: so no thread of the port waits for time to pass. In a second the groups are asked once, whoever looks.
 */
final class HotDirectories {
    private static final int SHOWN_MAX = 25;
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Duration PATHS_TIMEOUT = Duration.ofSeconds(5);
    private static final Map<String, Object> NOT_MEASURED = Map.of("is_measured", false);

    private final LazyClient client;
    private final Clock clock;

    /** Held for a question; guards what is below. */
    private final Semaphore turn;

    private @Nullable TrafficReading last;
    private long lastNanos;
    private Map<String, Object> told = NOT_MEASURED;

    /**
     * @param client of a superuser
     * @param turn of the one question that the cluster is asked at a time
     */
    HotDirectories(LazyClient client, Clock clock, Semaphore turn) {
        this.client = client;
        this.clock = clock;
        this.turn = turn;
    }

    void addTo(HttpRoutes routes) {
        routes.get("/api/admin/hot-directories", Right.ADMINISTER, question -> answer());
    }

    private HttpAnswer answer() throws TatamiException {
        if (!turn.tryAcquire()) {
            throw new TatamiException(ErrorCode.BUSY, "another question to the cluster is being answered; ask again");
        }
        try {
            if (last == null || clock.monotonicNanos() - lastNanos >= LEAST_NANOS) {
                told = look();
            }
            return HttpJson.of(told);
        } finally {
            turn.release();
        }
    }

    private Map<String, Object> look() throws TatamiException {
        ClusterAdmin cluster = client.get().cluster();
        TrafficReading before = last;
        boolean isRecent = before != null && clock.monotonicNanos() - lastNanos <= MOST_NANOS;
        last = null;
        TrafficReading now = TrafficReading.ofGroups(cluster);
        lastNanos = clock.monotonicNanos();
        last = now;
        return before != null && isRecent ? json(cluster, TrafficRates.between(before, now)) : NOT_MEASURED;
    }

    private static Map<String, Object> json(ClusterAdmin cluster, TrafficRates rates) throws TatamiException {
        Map<DirectoryId, TatamiPath> paths = cluster.directoryPaths(
                rates.directories().stream()
                        .limit(SHOWN_MAX)
                        .map(TrafficRates.Rate::key)
                        .toList(),
                PATHS_TIMEOUT);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("is_measured", true);
        json.put("requests_per_second", rates.requests());
        json.put("directories", TrafficJson.directories(rates.directories(), paths, SHOWN_MAX));
        json.put(
                "unmeasured",
                rates.unmeasured().stream().map(TrafficJson::unmeasured).toList());
        return json;
    }
}
