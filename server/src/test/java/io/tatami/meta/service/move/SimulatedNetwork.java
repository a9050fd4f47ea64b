package io.tatami.meta.service.move;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.protocol.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/** Loses, doubles, delays and reorders what shards and clients send to shards, and sends it again until answered. */
final class SimulatedNetwork {
    private static final long RETRY_MILLIS = 60;
    private static final double LOSS = 0.12;
    private static final double DOUBLING = 0.12;

    private final SimulatedWorld world;
    private final List<SimulatedShard> shards = new ArrayList<>();

    SimulatedNetwork(SimulatedWorld world) {
        this.world = world;
    }

    void add(SimulatedShard shard) {
        shards.add(shard);
    }

    /**
     * Calls a shard until it answers or the time is over.
     *
     * @param alive whether the caller is still there: nothing happens for one that crashed
     */
    <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, RequestOrigin origin, Q body, long timeoutMillis, BooleanSupplier alive) {
        Call<Q, R> call = new Call<>(to, method, origin, body, world.wallMillis() + timeoutMillis, alive);
        call.send();
        return call.reply;
    }

    static <T> T parsed(Parser<T> parser, ByteString bytes) {
        try {
            return parser.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message does not parse", e);
        }
    }

    static TatamiException failureOf(Throwable failure) {
        Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
        if (cause instanceof TatamiException known) {
            return known;
        }
        throw new IllegalStateException("a bug, not a refusal", cause);
    }

    private void deliver(Runnable message) {
        if (!world.isHealed() && world.chance(LOSS)) {
            return;
        }
        world.after(world.networkDelayMillis(), message);
        if (!world.isHealed() && world.chance(DOUBLING)) {
            world.after(world.networkDelayMillis() * 3, message);
        }
    }

    private final class Call<Q extends Message, R extends Message> {
        private final GroupId to;
        private final Method<Q, R> method;
        private final RequestOrigin origin;
        private final ByteString body;
        private final long deadlineMillis;
        private final BooleanSupplier alive;
        private final CompletableFuture<R> reply = new CompletableFuture<>();

        Call(
                GroupId to,
                Method<Q, R> method,
                RequestOrigin origin,
                Q body,
                long deadlineMillis,
                BooleanSupplier alive) {
            this.to = to;
            this.method = method;
            this.origin = origin;
            this.body = body.toByteString();
            this.deadlineMillis = deadlineMillis;
            this.alive = alive;
        }

        void send() {
            if (reply.isDone() || !alive.getAsBoolean()) {
                return;
            }
            if (world.wallMillis() >= deadlineMillis) {
                reply.completeExceptionally(new TatamiException(ErrorCode.UNAVAILABLE, to + " does not answer"));
                return;
            }
            deliver(() -> {
                var unused = shards.get(to.shard())
                        .serve(origin, method, body)
                        .whenComplete((bytes, failure) -> deliver(() -> take(bytes, failure)));
            });
            world.after(RETRY_MILLIS, this::send);
        }

        private void take(ByteString bytes, Throwable failure) {
            if (!alive.getAsBoolean()) {
                return;
            }
            if (failure == null) {
                reply.complete(parsed(method.replyParser(), bytes));
                return;
            }
            TatamiException refusal = failureOf(failure);
            if (!refusal.code().isRetryable() || refusal.code() == ErrorCode.STALE_HANDLE) {
                reply.completeExceptionally(refusal);
            }
        }
    }
}
