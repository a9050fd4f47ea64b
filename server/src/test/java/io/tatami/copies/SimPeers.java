package io.tatami.copies;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.NoPeers;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls of a group, over the network to block servers, and tried again as a server does. */
final class SimPeers implements NoPeers {
    private static final long PAUSE_MILLIS_MIN = 2;
    private static final long PAUSE_MILLIS_MAX = 500;

    private final CopiesWorld world;
    private final SimMetadata metadata;
    private final Connector connector;
    private @Nullable SteppedGroup group;

    SimPeers(CopiesWorld world, SimMetadata metadata) {
        this.world = world;
        this.metadata = metadata;
        this.connector = world.network().connector(SimMetadata.ADDRESS, UserIdentity.of("tatami"));
    }

    void of(SteppedGroup owner) {
        group = owner;
    }

    private boolean isAlive() {
        return group != null && !group.isCrashed();
    }

    /** One attempt at a call. */
    @FunctionalInterface
    private interface Attempt<R> {
        CompletableFuture<R> begin(long timeoutMillis);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        return tried(timeout -> metadata.call(to, method, body), timeoutMillis);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        if (method.number() == BlockMethods.CREDITS_LOW.number()) {
            world.time().after(1, () -> metadata.giveCredits(to.value()));
            return CompletableFuture.completedFuture(SimMetadata.parsed(method, Empty.getDefaultInstance()));
        }
        if (!isAsked(to)) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, to + " is dead"));
        }
        InetSocketAddress address = world.server(to).address();
        return tried(
                timeout -> connector
                        .connect(address)
                        .thenCompose(connection ->
                                connection.call(method, CallOptions.DEFAULT.withTimeoutMillis(timeout), body)),
                TIMEOUT_MILLIS_DEFAULT);
    }

    private boolean isAsked(ServerId server) {
        return map().getBlockServerList().stream()
                .anyMatch(info -> info.getServerId() == server.value()
                        && info.getState() != BlockServerInfo.State.DEAD
                        && info.getState() != BlockServerInfo.State.GONE);
    }

    private <R> CompletableFuture<R> tried(Attempt<R> attempt, long timeoutMillis) {
        CompletableFuture<R> result = new CompletableFuture<>();
        long endNanos = world.time().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        begin(attempt, endNanos, PAUSE_MILLIS_MIN, result);
        return result;
    }

    private <R> void begin(Attempt<R> attempt, long endNanos, long pauseMillis, CompletableFuture<R> result) {
        if (!isAlive()) {
            return;
        }
        long leftMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - world.time().monotonicNanos());
        var unused = attempt.begin(Math.max(1, leftMillis)).whenComplete((reply, thrown) -> {
            if (!isAlive()) {
                return;
            }
            if (thrown == null) {
                result.complete(reply);
                return;
            }
            TatamiException failure = Causes.of(thrown);
            if (failure.code().isRetryable() && leftMillis > pauseMillis) {
                world.time()
                        .after(
                                TimeUnit.MILLISECONDS.toNanos(pauseMillis),
                                () -> begin(attempt, endNanos, Math.min(PAUSE_MILLIS_MAX, 2 * pauseMillis), result));
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    @Override
    public ClusterMap map() {
        return world.membership().map();
    }

    @Override
    public long mapAgeMillis() {
        return world.membership().ageMillis();
    }
}
