package io.tatami.server.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import io.tatami.base.ErrorCode;
import io.tatami.rpc.RequestObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of a server by method, with their times and failures. The labels are bounded: methods are those
 * that are served, and failures those of {@link ErrorCode}. After the first request of a method nothing is allocated
 * for another. Safe for use by many threads.
 */
public final class RequestMetrics implements RequestObserver {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String METHOD = "method";
    private static final String REFUSED = "none";

    /** A call takes from some tens of microseconds to its deadline. */
    private static final double[] CALL_BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
    };

    /** A stream takes as long as a block is read or written. */
    private static final double[] STREAM_BOUNDS = {0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600};

    private final Histogram calls;
    private final Histogram streams;
    private final Counter failures;
    private final Map<String, OfMethod> callsByMethod = new ConcurrentHashMap<>();
    private final Map<String, OfMethod> streamsByMethod = new ConcurrentHashMap<>();

    /** What is counted of one method. */
    private final class OfMethod {
        private final String method;
        private final DistributionDataPoint times;
        private final AtomicReferenceArray<@Nullable CounterDataPoint> failed =
                new AtomicReferenceArray<>(ErrorCode.values().length);

        OfMethod(String method, Histogram histogram) {
            this.method = method.equals(NO_METHOD) ? REFUSED : method;
            this.times = histogram.labelValues(this.method);
        }

        void count(long tookNanos, @Nullable ErrorCode failure) {
            times.observe(tookNanos / NANOS_PER_SECOND);
            if (failure != null) {
                failed(failure).inc();
            }
        }

        private CounterDataPoint failed(ErrorCode code) {
            CounterDataPoint known = failed.get(code.ordinal());
            if (known == null) {
                known = failures.labelValues(method, code.name());
                failed.set(code.ordinal(), known);
            }
            return known;
        }
    }

    public RequestMetrics(PrometheusRegistry registry) {
        calls = times("tatami_rpc_call_duration", "Time from the arrival of a call to its answer.", CALL_BOUNDS)
                .register(registry);
        streams = times("tatami_rpc_stream_duration", "Time from the opening of a stream to its end.", STREAM_BOUNDS)
                .register(registry);
        failures = Counter.builder()
                .name("tatami_rpc_failures")
                .help("Calls and streams that ended with an error, refusals included; by method and error code.")
                .labelNames(METHOD, "code")
                .withoutExemplars()
                .register(registry);
    }

    private static Histogram.Builder times(String name, String help, double[] bounds) {
        Histogram.Builder builder = Histogram.builder()
                .name(name)
                .help(help)
                .unit(Unit.SECONDS)
                .labelNames(METHOD)
                .classicOnly()
                .classicUpperBounds(bounds);
        builder.withoutExemplars();
        return builder;
    }

    @Override
    public void answered(String method, long tookNanos, @Nullable ErrorCode failure) {
        of(callsByMethod, method, calls).count(tookNanos, failure);
    }

    @Override
    public void ended(String method, long tookNanos, @Nullable ErrorCode failure) {
        of(streamsByMethod, method, streams).count(tookNanos, failure);
    }

    private OfMethod of(Map<String, OfMethod> known, String method, Histogram histogram) {
        OfMethod counts = known.get(method);
        return counts != null ? counts : known.computeIfAbsent(method, name -> new OfMethod(name, histogram));
    }
}
