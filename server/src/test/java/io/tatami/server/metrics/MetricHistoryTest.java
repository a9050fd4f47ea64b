package io.tatami.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MetricHistoryTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final MetricHistory history = new MetricHistory();
    private long nowMillis = 1_000_000;

    private void take() {
        nowMillis += MetricHistory.STEP_SECONDS * 1_000L;
        history.take(registry.scrape(), nowMillis);
    }

    private List<@Nullable Float> values(String name) {
        List<MetricHistory.Curve> curves =
                history.curves(name::equals, Integer.MAX_VALUE).curves();
        assertEquals(1, curves.size(), () -> "of " + name);
        return curves.get(0).values();
    }

    @Test
    void gaugesAreKeptAsTheyAre() {
        Gauge gauge = Gauge.builder()
                .name("tatami_open")
                .help("h")
                .labelNames("volume")
                .register(registry);
        gauge.labelValues("/a").set(3);
        take();
        gauge.labelValues("/a").set(5);
        gauge.labelValues("/b").set(7);
        take();
        assertEquals(List.of(3f, 5f), values("tatami_open{volume=\"/a\"}"));
        List<@Nullable Float> later = values("tatami_open{volume=\"/b\"}");
        assertNull(later.get(0));
        assertEquals(7f, later.get(1));
        assertEquals(nowMillis, history.curves(name -> true, 1).endMillis());
    }

    @Test
    void aCounterBecomesItsRateASecond() {
        Counter counter = Counter.builder().name("tatami_bytes").help("h").register(registry);
        counter.inc(1_000);
        take();
        counter.inc(150);
        take();
        take();
        List<@Nullable Float> rates = values("tatami_bytes:rate");
        assertNull(rates.get(0));
        assertEquals(10f, rates.get(1));
        assertEquals(0f, rates.get(2));
    }

    @Test
    void aHistogramBecomesItsRateAndThePercentileOfEachStep() {
        Histogram histogram = Histogram.builder()
                .name("tatami_took_seconds")
                .help("h")
                .classicOnly()
                .classicUpperBounds(0.1, 1, 10)
                .register(registry);
        histogram.observe(9);
        take();
        for (int i = 0; i < 100; i++) {
            histogram.observe(i < 90 ? 0.05 : 0.5);
        }
        take();
        take();
        assertEquals(
                100f / MetricHistory.STEP_SECONDS,
                values("tatami_took_seconds:rate").get(1));
        List<@Nullable Float> percentiles = values("tatami_took_seconds:p99");
        assertNull(percentiles.get(0));
        // The 99th of 100 is the ninth of the ten between 0.1 and 1.
        assertEquals(0.91f, percentiles.get(1), 0.001f);
        assertNull(percentiles.get(2));
    }

    @Test
    void sixHoursAreKept() {
        Gauge gauge = Gauge.builder().name("tatami_step").help("h").register(registry);
        for (int i = 0; i < MetricHistory.POINTS + 10; i++) {
            gauge.set(i);
            take();
        }
        List<@Nullable Float> values = values("tatami_step");
        assertEquals(MetricHistory.POINTS, values.size());
        assertEquals(10f, values.get(0));
        assertEquals(MetricHistory.POINTS + 9f, values.get(MetricHistory.POINTS - 1));
        List<MetricHistory.Curve> last = history.curves(name -> true, 2).curves();
        assertEquals(
                List.of(MetricHistory.POINTS + 8f, MetricHistory.POINTS + 9f),
                last.get(0).values());
    }

    @Test
    void seriesBeyondTheLimitAreCountedAndThoseOfLongAgoGiveWay() {
        Gauge gauge =
                Gauge.builder().name("tatami_part").help("h").labelNames("part").register(registry);
        for (int i = 0; i < MetricHistory.SERIES_MAX + 3; i++) {
            gauge.labelValues("first" + i).set(1);
        }
        take();
        assertEquals(
                MetricHistory.SERIES_MAX,
                history.curves(name -> true, 1).curves().size());
        assertEquals(3, history.curves(name -> true, 1).leftOut());
        gauge.clear();
        gauge.labelValues("second").set(2);
        for (int i = 0; i < MetricHistory.POINTS; i++) {
            take();
        }
        take();
        assertTrue(history.curves("tatami_part{part=\"second\"}"::equals, 1)
                        .curves()
                        .size()
                == 1);
        assertEquals(0, history.curves(name -> true, 1).leftOut());
        assertEquals(1, history.curves(name -> true, 1).curves().size());
    }

    @Test
    void otherMakersMetricsAreKeptOnlyWhereTheyTellOfRoom() {
        Gauge.builder().name("jvm_threads_current").help("h").register(registry).set(1);
        Gauge.builder().name("process_open_fds").help("h").register(registry).set(9);
        take();
        assertEquals(
                List.of("process_open_fds"),
                history.curves(name -> true, 1).curves().stream()
                        .map(MetricHistory.Curve::name)
                        .toList());
    }

    @Test
    void whatHasAGroupIsKeptAsASumSoThatManyGroupsLeaveRoom() {
        Gauge gauge = Gauge.builder()
                .name("tatami_group_queue")
                .help("h")
                .labelNames("group")
                .register(registry);
        Counter counter = Counter.builder()
                .name("tatami_group_did")
                .help("h")
                .labelNames("group")
                .register(registry);
        for (int group = 0; group < 300; group++) {
            gauge.labelValues("shard-" + group).set(2);
            counter.labelValues("shard-" + group).inc(10);
        }
        take();
        counter.labelValues("shard-7").inc(30);
        take();
        assertEquals(600f, values("tatami_group_queue").get(1));
        assertEquals(2f, values("tatami_group_did:rate").get(1));
        assertEquals(2, history.count(name -> true));
    }

    @Test
    void aLateStepHasTheRateOfTheTimeThatItTook() {
        Counter counter = Counter.builder().name("tatami_bytes").help("h").register(registry);
        take();
        counter.inc(600);
        nowMillis += MetricHistory.STEP_SECONDS * 1_000L;
        take();
        assertEquals(20f, values("tatami_bytes:rate").get(1));
    }
}
