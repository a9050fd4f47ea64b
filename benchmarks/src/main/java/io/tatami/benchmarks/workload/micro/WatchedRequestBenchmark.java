package io.tatami.benchmarks.workload.micro;

import com.google.protobuf.ByteString;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.traffic.ClientTraffic;
import io.tatami.meta.service.traffic.CountedTraffic;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.RequestScope.Station;
import io.tatami.server.metrics.RequestMetrics;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * What a server does for metrics, the log of slow calls and the counts by user, client and directory on the way of one
 * change, and nothing else: looks at the clock, enters and leaves the request's scope, notes its stations, counts it.
 * Two threads count the same method of the same group.
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
    private final HandleSigner signer = new HandleSigner(ByteString.copyFrom(new byte[HandleSigner.KEY_BYTES]));
    private ClientTraffic.Counter<CreateRequest> traffic = ClientTraffic.NONE.counter(MetaMethods.CREATE);

    @Setup
    public void setUp() {
        if (metrics.equals("on")) {
            traffic = new CountedTraffic(signer, Clock.SYSTEM).counter(MetaMethods.CREATE);
        }
    }

    /** A user on a host of its own, whose files are in some directories. */
    @State(Scope.Thread)
    public static class Client {
        private static final int DIRECTORIES = 16;
        private static final AtomicInteger CLIENTS = new AtomicInteger();

        private final CreateRequest[] requests = new CreateRequest[DIRECTORIES];
        private final CallContext context = context(CLIENTS.incrementAndGet());
        private int next;

        @Setup
        public void setUp(WatchedRequestBenchmark benchmark) {
            for (int i = 0; i < DIRECTORIES; i++) {
                Handle handle = Handle.newBuilder()
                        .setDirectoryId(i + 1)
                        .addAncestorId(1)
                        .setUser(context.user().user())
                        .build();
                requests[i] = CreateRequest.newBuilder()
                        .setHandle(benchmark.signer.sign(handle))
                        .build();
            }
        }

        private static CallContext context(int number) {
            SocketAddress address = new InetSocketAddress("10.0.0." + number, 1);
            CallContext.Peer peer = new CallContext.Peer(address, "benchmark", false, "benchmark");
            return new CallContext(peer, UserIdentity.of("user-" + number), CallOptions.DEFAULT, 0);
        }

        CreateRequest request() {
            next = (next + 1) % DIRECTORIES;
            return requests[next];
        }
    }

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
    public long request(Request request, Client client) {
        Clock clock = Clock.SYSTEM;
        long arrivedNanos = clock.monotonicNanos();
        @Nullable RequestScope before = RequestScope.enter(request);
        traffic.count(client.context, client.request());
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
