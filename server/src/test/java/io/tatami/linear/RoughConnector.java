package io.tatami.linear;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.net.SocketAddress;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One client's real connections, with what {@link Ways} does to its calls; streams are as they are. Once its client has
 * died nothing is sent any more, but what was sent still arrives. Safe for use by many threads.
 */
final class RoughConnector implements Connector {
    private final Connector inner;
    private final int client;
    private final Ways ways;
    private final ScheduledExecutorService timer;
    private final Random random;
    private final CompletableFuture<Void> death = new CompletableFuture<>();

    /** @param timer outlives this */
    RoughConnector(Connector inner, int client, Ways ways, ScheduledExecutorService timer, long seed) {
        this.inner = inner;
        this.client = client;
        this.ways = ways;
        this.timer = timer;
        this.random = new Random(seed);
    }

    @Override
    public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
        return isDead()
                ? CompletableFuture.failedFuture(dead())
                : inner.connect(address, lane).thenApply(Rough::new);
    }

    /** The client dies in the middle of what it is doing: its calls end with CANCELLED. */
    void die() {
        death.complete(null);
    }

    boolean isDead() {
        return death.isDone();
    }

    private static TatamiException dead() {
        return new TatamiException(ErrorCode.CANCELLED, "the client has died");
    }

    @Override
    public void close() {
        inner.close();
    }

    private final class Rough implements Connection {
        private final Connection real;

        Rough(Connection real) {
            this.real = real;
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                Method<Q, R> method, CallOptions options, Q body) {
            return isDead()
                    ? CompletableFuture.failedFuture(dead())
                    : call(method, options, body, ways.fate(random, client, real.peer()));
        }

        private <Q extends Message, R extends Message> CompletableFuture<R> call(
                Method<Q, R> method, CallOptions options, Q body, Ways.Fate fate) {
            CompletableFuture<R> told = new CompletableFuture<>();
            CompletableFuture<Void> unused = death.thenRun(() -> told.completeExceptionally(dead()));
            Runnable send = () -> send(method, options, body, fate.lostDown() ? new CompletableFuture<>() : told);
            if (fate.lostUp() || fate.lostDown()) {
                later(
                        TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis()),
                        () -> told.completeExceptionally(
                                new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the message was lost")));
            }
            if (!fate.lostUp()) {
                later(fate.delayNanos(), send);
            }
            if (!fate.lostUp() && fate.againNanos() >= 0 && !comesOnce(method, options)) {
                later(fate.delayNanos() + fate.againNanos(), send);
            }
            if (fate.breaks()) {
                later(fate.delayNanos(), real::close);
            }
            return told;
        }

        /**
         * A connection brings a message once; that copies come as well is a harder test than the world is. Of one
         * request the service relies on it: what the first attempt to make a directory found that is there is not
         * remembered.
         */
        private static boolean comesOnce(Method<?, ?> method, CallOptions options) {
            return method == MetaMethods.MKDIRS && options.firstAttempt();
        }

        private void later(long nanos, Runnable action) {
            if (nanos == 0) {
                action.run();
            } else {
                ScheduledFuture<?> unused = timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
            }
        }

        private <Q extends Message, R extends Message> void send(
                Method<Q, R> method, CallOptions options, Q body, CompletableFuture<R> told) {
            CompletableFuture<R> reply = real.call(method, options, body);
            CompletableFuture<R> unused = reply.whenComplete((value, failure) -> {
                if (failure == null) {
                    told.complete(value);
                } else {
                    told.completeExceptionally(failure);
                }
            });
            CompletableFuture<R> unusedToo = told.whenComplete((value, failure) -> {
                if (told.isCancelled()) {
                    reply.cancel(true);
                }
            });
        }

        @Override
        public <Q extends Message, R extends Message> R callAndWait(Method<Q, R> method, CallOptions options, Q body)
                throws TatamiException {
            if (isDead()) {
                throw dead();
            }
            Ways.Fate fate = ways.fate(random, client, real.peer());
            CompletableFuture<R> told = fate.isLostOrDoubled() ? call(method, options, body, fate) : null;
            try {
                return told == null ? callWhole(method, options, body, fate) : told.get();
            } catch (InterruptedException e) {
                if (told != null) {
                    told.cancel(true);
                }
                Thread.currentThread().interrupt();
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for " + method, e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof TatamiException failure) {
                    throw failure.again();
                }
                throw new IllegalStateException(e);
            }
        }

        /** A request and a reply that get through, unless the connection breaks or the client dies meanwhile. */
        private <Q extends Message, R extends Message> R callWhole(
                Method<Q, R> method, CallOptions options, Q body, Ways.Fate fate)
                throws TatamiException, InterruptedException {
            CompletableFuture<Void> unused = death.thenRun(real::close);
            TimeUnit.NANOSECONDS.sleep(fate.delayNanos());
            if (fate.breaks()) {
                later(1, real::close);
            }
            try {
                R reply = real.callAndWait(method, options, body);
                if (!isDead()) {
                    return reply;
                }
            } catch (TatamiException e) {
                if (!isDead()) {
                    throw e;
                }
            }
            throw dead();
        }

        @Override
        public <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
                StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener) {
            CompletableFuture<Void> unused = death.thenRun(real::close);
            return real.openStream(method, options, body, listener);
        }

        @Override
        public SocketAddress peer() {
            return real.peer();
        }

        @Override
        public boolean isSameHost() {
            return real.isSameHost();
        }

        @Override
        public UUID clusterId() {
            return real.clusterId();
        }

        @Override
        public boolean isCrowded() {
            return real.isCrowded();
        }

        @Override
        public boolean isOpen() {
            return real.isOpen();
        }

        @Override
        public CompletableFuture<Void> closed() {
            return real.closed();
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
