package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SystemErrorText;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.RequestScope;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls over connections, routed by the cluster map. A lost connection and a retryable failure are tried again. */
final class RoutedPeers implements GroupPeers {
    private static final long PAUSE_MILLIS_MIN = 2;
    private static final long PAUSE_MILLIS_MAX = 500;

    /** A host that is there refuses a connection at once. */
    private static final long REFUSAL_MILLIS_MAX = 1_000;

    private final Connector connector;
    private final GroupLeaders leaders;
    private final ClusterMapHolder maps;
    private final ServiceCredential credential;
    private final Executor executor;
    private final Clock clock;

    /**
     * @param leaders follows the map of {@code maps}, and may know more
     * @param executor where pauses end
     */
    RoutedPeers(
            Connector connector,
            GroupLeaders leaders,
            ClusterMapHolder maps,
            ServiceCredential credential,
            Executor executor,
            Clock clock) {
        this.connector = connector;
        this.leaders = leaders;
        this.maps = maps;
        this.credential = credential;
        this.executor = executor;
        this.clock = clock;
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        Attempt<Q, R> attempt =
                new Attempt<>(new LeaderOf(to), method, body, toMetadata().withGroup(to), deadline(timeoutMillis));
        attempt.begin(PAUSE_MILLIS_MIN);
        return attempt.result;
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        try {
            addressOf(to);
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        Attempt<Q, R> attempt = new Attempt<>(
                (Fixed) () -> addressOf(to),
                method,
                body,
                CallOptions.DEFAULT.withCredential(credential.toBlockServer(to)),
                deadline(TIMEOUT_MILLIS_DEFAULT));
        attempt.begin(PAUSE_MILLIS_MIN);
        return attempt.result;
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
            Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
        InetSocketAddress address = GroupLeaders.address(to);
        Attempt<Q, R> attempt =
                new Attempt<>((Fixed) () -> address, method, body, toMetadata(), deadline(timeoutMillis));
        attempt.begin(PAUSE_MILLIS_MIN);
        return attempt.result;
    }

    @Override
    public CompletableFuture<Boolean> refusesConnections(Endpoint server) {
        return connector
                .connect(GroupLeaders.address(server))
                .handle((connection, failure) -> failure != null && isRefusal(failure))
                .completeOnTimeout(false, REFUSAL_MILLIS_MAX, TimeUnit.MILLISECONDS);
    }

    private static boolean isRefusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException && SystemErrorText.isConnectionRefused(cause)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public ClusterMap map() {
        return maps.map();
    }

    @Override
    public long mapAgeMillis() {
        return maps.ageMillis(clock.monotonicNanos());
    }

    private CallOptions toMetadata() {
        return CallOptions.DEFAULT.withCredential(credential.bytes());
    }

    private long deadline(long timeoutMillis) {
        return clock.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    private InetSocketAddress addressOf(ServerId server) throws TatamiException {
        BlockServerInfo info = maps.blockServer(server);
        if (info != null && info.getState() != BlockServerInfo.State.DEAD) {
            return GroupLeaders.address(info.getData());
        }
        throw new TatamiException(ErrorCode.UNAVAILABLE, "block server " + server + " is not known or does not answer");
    }

    /** Where to, as far as is known now. */
    private interface Destination {
        InetSocketAddress find() throws TatamiException;

        /** Learns that a call there failed. */
        void failed(InetSocketAddress asked, TatamiException failure);
    }

    /** A server, whatever it answers. */
    @FunctionalInterface
    private interface Fixed extends Destination {
        @Override
        default void failed(InetSocketAddress asked, TatamiException failure) {
            // There is no other.
        }
    }

    /** Whoever leads a group. */
    private final class LeaderOf implements Destination {
        private final GroupId group;

        LeaderOf(GroupId group) {
            this.group = group;
        }

        @Override
        public InetSocketAddress find() throws TatamiException {
            leaders.offer(maps.map());
            InetSocketAddress leader = leaders.leader(group);
            if (leader == null) {
                throw new TatamiException(ErrorCode.UNAVAILABLE, "no metadata server hosts " + group);
            }
            return leader;
        }

        @Override
        public void failed(InetSocketAddress asked, TatamiException failure) {
            boolean unused = leaders.failed(group, asked, failure);
        }
    }

    /** One call with all its tries. */
    private final class Attempt<Q extends Message, R extends Message> {
        private final Destination destination;
        private final Method<Q, R> method;
        private final Q body;
        private final CallOptions options;
        private final long deadlineNanos;
        private final @Nullable RequestScope scope = RequestScope.current();
        private final CompletableFuture<R> result = new CompletableFuture<>();

        Attempt(Destination destination, Method<Q, R> method, Q body, CallOptions options, long deadlineNanos) {
            this.destination = destination;
            this.method = method;
            this.body = body;
            this.options = options;
            this.deadlineNanos = deadlineNanos;
        }

        /** For the request that the call is made for, on whatever thread a try begins. */
        void begin(long pauseMillis) {
            RequestScope before = RequestScope.enter(scope);
            try {
                tryOnce(pauseMillis);
            } finally {
                RequestScope.leave(before);
            }
        }

        private void tryOnce(long pauseMillis) {
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.monotonicNanos());
            InetSocketAddress to;
            try {
                to = destination.find();
            } catch (TatamiException e) {
                failed(e, pauseMillis);
                return;
            }
            CompletableFuture<R> reply = RequestScope.carried(connector.connect(to))
                    .thenCompose(connection ->
                            connection.call(method, options.withTimeoutMillis(Math.max(1, leftMillis)), body));
            reply.whenComplete((answer, thrown) -> {
                        if (thrown == null) {
                            CrashPoint.hit("meta.peer.answered", method.name());
                            result.complete(answer);
                        } else {
                            TatamiException failure = Causes.of(thrown);
                            destination.failed(to, failure);
                            failed(failure, pauseMillis);
                        }
                    })
                    .exceptionally(bug -> {
                        result.completeExceptionally(bug);
                        return null;
                    });
        }

        private void failed(TatamiException failure, long pauseMillis) {
            boolean inTime = deadlineNanos - clock.monotonicNanos() > TimeUnit.MILLISECONDS.toNanos(pauseMillis);
            if (!failure.code().isRetryable() || !inTime) {
                result.completeExceptionally(failure);
                return;
            }
            Executor later = CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS, executor);
            later.execute(() -> begin(Math.min(PAUSE_MILLIS_MAX, pauseMillis * 2)));
        }
    }
}
