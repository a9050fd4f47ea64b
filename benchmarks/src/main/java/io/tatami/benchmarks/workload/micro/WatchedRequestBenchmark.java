package io.tatami.benchmarks.workload.micro;

import com.google.protobuf.ByteString;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.RequestScope.Station;
import io.tatami.server.metrics.RequestMetrics;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * What a server does for metrics and the log of slow calls on the way of one change, and nothing else: looks at the
 * clock, enters and leaves the request's scope, notes its stations, counts it. Two threads count the same method.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(2)
public class WatchedRequestBenchmark {
    /** Whether the HTTP port is on. */
    @Param({"on", "off"})
    public String metrics = "on";

    private final RequestMetrics counted = new RequestMetrics(new PrometheusRegistry());

    /** A request like a server's call, which is there anyway. */
    @State(Scope.Thread)
    public static class Request extends RequestScope {
        private final long[] spent = new long[Station.values().length];

        @Override
        public ByteString traceparent() {
            return ByteString.EMPTY;
        }

        @Override
        public ByteString callerContext() {
            return ByteString.EMPTY;
        }

        @Override
        public void spent(Station station, long nanos) {
            spent[station.ordinal()] += nanos;
        }

        @Override
        public void called(String method, SocketAddress server, long tookNanos) {
            Check.check(false, "nothing is called here");
        }
    }

    /** The handler, the group's thread, and the answer. */
    @Benchmark
    public long request(Request request) {
        Clock clock = Clock.SYSTEM;
        long arrivedNanos = clock.monotonicNanos();
        @Nullable RequestScope before = RequestScope.enter(request);
        long queuedNanos = clock.monotonicNanos();
        RequestScope.leave(before);
        long begunNanos = clock.monotonicNanos();
        request.spent(Station.QUEUE, begunNanos - queuedNanos);
        before = RequestScope.enter(request);
        RequestScope.leave(before);
        request.spent(Station.DECIDE, 1);
        request.spent(Station.LOG, 1);
        request.spent(Station.APPLY, 1);
        before = RequestScope.enter(request);
        RequestScope.leave(before);
        long answeredNanos = clock.monotonicNanos();
        RequestObserver observer = metrics.equals("on") ? counted : RequestObserver.NONE;
        observer.answered("shard.create-file", answeredNanos - arrivedNanos, null);
        return answeredNanos;
    }
}
