package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Brings requests to groups and replies back, and loses, doubles, delays and reorders them as {@link Faults} says. */
final class SimNetwork {
    private final SimWorld world;
    private final SimulatedCluster cluster;
    private final Coverage coverage;
    private final Faults faults;
    private final Map<SteppedGroup, List<Attempt<?>>> waiting = new HashMap<>();
    private final Map<Link, Long> cutUntilMillis = new HashMap<>();

    SimNetwork(SimWorld world, SimulatedCluster cluster, Faults faults, Coverage coverage) {
        this.world = world;
        this.cluster = cluster;
        this.faults = faults;
        this.coverage = coverage;
    }

    private record Link(int from, int to) {}

    /**
     * Who calls.
     *
     * @param number of its group; of a client a number above all groups
     * @param alive whether anybody is there to take the answer
     * @param inside runs what hangs on the answer
     */
    record Caller(int number, BooleanSupplier alive, Consumer<Runnable> inside) {}

    /**
     * Sends one request; fails with UNAVAILABLE where the connection breaks, and with DEADLINE_EXCEEDED.
     *
     * @param origin as the group is told, made when the request comes there, of the monotonic time when its time is
     *     over
     */
    <R extends Message> CompletableFuture<R> attempt(
            Caller from,
            GroupId to,
            Method<?, R> method,
            LongFunction<RequestOrigin> origin,
            Message body,
            long timeoutMillis) {
        Attempt<R> attempt = new Attempt<>(from, to, method, origin, body, timeoutMillis);
        world.after(timeoutMillis, () -> attempt.fail(ErrorCode.DEADLINE_EXCEEDED));
        deliver(
                from.number(),
                to.value(),
                attempt.comesOnce() ? attempt::arriveOnce : attempt::arrive,
                () -> attempt.fail(ErrorCode.UNAVAILABLE));
        return attempt.reply;
    }

    /** One way between two is cut for some time. */
    void cut(int from, int to, long millis) {
        coverage.count("links cut");
        cutUntilMillis.put(new Link(from, to), world.wallMillis() + millis);
    }

    /** Every way is open again. */
    void mend() {
        cutUntilMillis.clear();
    }

    /** Whoever waits for the group mostly sees that its connection breaks. */
    void crashed(SteppedGroup group) {
        List<Attempt<?>> attempts = waiting.remove(group);
        if (attempts != null) {
            for (Attempt<?> attempt : attempts) {
                if (faults.breaksConnection()) {
                    world.after(1 + world.below(20), () -> attempt.fail(ErrorCode.UNAVAILABLE));
                }
            }
        }
    }

    static TatamiException failureOf(Throwable thrown) {
        Throwable cause = Causes.unwrapped(thrown);
        if (cause instanceof TatamiException known && known.code() != ErrorCode.INTERNAL) {
            return known;
        }
        throw new IllegalStateException("a bug, not a refusal: " + cause, cause);
    }

    private void deliver(int from, int to, Runnable message, Runnable broken) {
        Faults.Delivery delivery = isCut(from, to) ? faults.lost() : faults.delivery();
        delivery.arrivalsMillis().forEach(millis -> world.after(millis, message));
        if (delivery.brokenMillis() >= 0) {
            world.after(delivery.brokenMillis(), broken);
        }
    }

    private boolean isCut(int from, int to) {
        Long until = cutUntilMillis.get(new Link(from, to));
        return until != null && world.wallMillis() < until;
    }

    private final class Attempt<R extends Message> {
        private final Caller from;
        private final GroupId to;
        private final Method<?, R> method;
        private final LongFunction<RequestOrigin> origin;
        private final Message body;
        private final long timeoutMillis;
        private final CompletableFuture<R> reply = new CompletableFuture<>();
        private boolean arrived;

        Attempt(
                Caller from,
                GroupId to,
                Method<?, R> method,
                LongFunction<RequestOrigin> origin,
                Message body,
                long timeoutMillis) {
            this.from = from;
            this.to = to;
            this.method = method;
            this.origin = origin;
            this.body = body;
            this.timeoutMillis = timeoutMillis;
        }

        /**
         * A connection brings a message once; that copies come as well is a harder test than the world is. Of one
         * request the service relies on it: what the first attempt to make a directory found that is there is not
         * remembered.
         */
        boolean comesOnce() {
            return method == MetaMethods.MKDIRS
                    && origin.apply(RequestOrigin.NO_DEADLINE).isFirstAttempt();
        }

        void arriveOnce() {
            if (!arrived) {
                arrive();
            }
        }

        void arrive() {
            arrived = true;
            SteppedGroup group = cluster.running(to);
            if (group == null) {
                answer(null, new TatamiException(ErrorCode.UNAVAILABLE, to + " does not run"));
                return;
            }
            world.trace(method.number());
            waiting.computeIfAbsent(group, none -> new ArrayList<>()).add(this);
            long deadlineNanos = world.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            cluster.inside(group, () -> {
                var unused = cluster.serve(group, method, origin.apply(deadlineNanos), body)
                        .whenComplete((answer, thrown) -> {
                            if (!group.isCrashed()) {
                                List<Attempt<?>> others = waiting.get(group);
                                if (others != null) {
                                    others.remove(this);
                                }
                                answer(answer, thrown);
                            }
                        });
            });
        }

        private void answer(@Nullable Message answer, @Nullable Throwable thrown) {
            deliver(to.value(), from.number(), () -> take(answer, thrown), () -> fail(ErrorCode.UNAVAILABLE));
        }

        private void take(@Nullable Message answer, @Nullable Throwable thrown) {
            if (reply.isDone() || !from.alive().getAsBoolean()) {
                return;
            }
            from.inside().accept(() -> {
                try {
                    if (thrown != null) {
                        reply.completeExceptionally(failureOf(thrown));
                    } else if (answer != null) {
                        reply.complete(method.replyParser().parseFrom(answer.toByteString()));
                    }
                } catch (com.google.protobuf.InvalidProtocolBufferException | RuntimeException e) {
                    world.bug(e);
                }
            });
        }

        void fail(ErrorCode code) {
            if (!reply.isDone() && from.alive().getAsBoolean()) {
                from.inside()
                        .accept(() -> reply.completeExceptionally(
                                new TatamiException(code, method + " to " + to + " was not answered")));
            }
        }
    }
}
