package io.tatami.client.meta;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.CallerContext;
import io.tatami.protocol.Effect;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.CloseSessionRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.OpenSessionRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.Traceparent;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Calls metadata groups, in one session that is opened by the first call that changes something. A call is repeated
 * until it succeeds, is refused for good, or its deadline is over; see {@link MetadataCall}. Safe for use by many
 * threads.
 */
public final class MetadataCaller {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final MetadataRouter router;
    private final Limits limits;
    private final Clock clock;
    private final RandomGenerator random;
    private final CallerContexts contexts;
    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable Session session;
    private volatile boolean closed;

    /**
     * Timeouts, and what goes with each request.
     *
     * @param clientName for the servers' logs
     * @param operation for a call with all its attempts, if the caller sets no other deadline
     * @param attempt for one attempt
     * @param traced whether each call gets a trace of its own
     */
    public record Limits(String clientName, Duration operation, Duration attempt, boolean traced) {}

    /** @param random must be safe for use by many threads */
    public MetadataCaller(MetadataRouter router, Limits limits, Clock clock, RandomGenerator random) {
        this(router, limits, clock, random, CallerContexts.NONE);
    }

    /** @param contexts give the caller context of each request */
    public MetadataCaller(
            MetadataRouter router, Limits limits, Clock clock, RandomGenerator random, CallerContexts contexts) {
        this.contexts = contexts;
        this.router = router;
        this.limits = limits;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Reads the cluster map for the first time, from the server that answers first.
     *
     * @throws TatamiException UNAVAILABLE, with the addresses, if none answers before the deadline
     */
    public void connect(Deadline deadline) throws TatamiException {
        Backoff backoff = backoff();
        @Nullable TatamiException reason = null;
        while (true) {
            try {
                router.refresh(deadline);
                return;
            } catch (TatamiException e) {
                if (!e.code().isRetryable()) {
                    throw e;
                }
                // The last attempt ends with the time; what an earlier one met says more.
                reason = reason == null || !isOfTime(e) ? e : reason;
                if (deadline.isOver()) {
                    throw reason;
                }
                backoff.pause(deadline);
            }
        }
    }

    private static boolean isOfTime(TatamiException failure) {
        return failure.getCause() instanceof TatamiException cause && cause.code() == ErrorCode.DEADLINE_EXCEEDED;
    }

    public MetadataRouter router() {
        return router;
    }

    /** The trace of a new call; empty where calls have none. */
    ByteString newTraceparent() {
        return limits.traced() ? Traceparent.next() : ByteString.EMPTY;
    }

    /** By which each call learns its caller context when it begins. */
    public CallerContexts contexts() {
        return contexts;
    }

    /** The deadline of an operation that begins now. */
    public Deadline deadline() {
        return Deadline.after(clock, limits.operation());
    }

    long wallMillis() {
        return clock.wallMillis();
    }

    public Backoff backoff() {
        return new Backoff(random);
    }

    /** A random number other than 0, by which related requests are known as such. */
    public long draw() {
        return random.nextLong(1, Long.MAX_VALUE);
    }

    public int shards() {
        return router.map().getShards();
    }

    /** Calls and waits. @throws TatamiException as {@link MetadataCall#await} */
    public <Q extends Message, R extends Message> R call(GroupId group, Method<Q, R> method, Q body, Deadline deadline)
            throws TatamiException {
        return reply(new MetadataCall<>(this, new MetadataCall.Target<>(group, method, body), deadline).begin());
    }

    /** Takes a number and sends nothing yet. The caller must await or abandon the call. */
    public <Q extends Message, R extends Message> MetadataCall<Q, R> prepare(
            GroupId group, Method<Q, R> method, Q body, Deadline deadline) throws TatamiException {
        return new MetadataCall<>(this, new MetadataCall.Target<>(group, method, body), deadline).begin();
    }

    /** {@link #call} without a session; for idempotent methods only. */
    public <Q extends Message, R extends Message> R callWithoutSession(
            GroupId group, Method<Q, R> method, Q body, Deadline deadline) throws TatamiException {
        Check.check(method.idempotent(), "%s needs a session", method);
        return reply(new MetadataCall<>(this, new MetadataCall.Target<>(group, method, body), deadline)
                .begin(Session.none()));
    }

    /**
     * Calls one server about itself, without a session and once: no other could answer instead.
     *
     * @throws TatamiException as {@link Connection#callAndWait}; UNAVAILABLE where it cannot be reached
     */
    public <Q extends Message, R extends Message> R callServer(
            InetSocketAddress server, Method<Q, R> method, Q body, Deadline deadline) throws TatamiException {
        Check.check(method.idempotent(), "%s needs a session", method);
        Connection connection = Replies.await(router.connect(server), deadline);
        CallOptions options = CallOptions.DEFAULT
                .withTimeoutMillis(Math.max(1, deadline.remainingMillis()))
                .withTraceparent(newTraceparent());
        return connection.callAndWait(method, options, body);
    }

    private static <R extends Message> R reply(MetadataCall<?, R> call) throws TatamiException {
        try {
            return call.await();
        } finally {
            call.abandon();
        }
    }

    /** Sends the first attempt and returns. The caller must await or abandon the call. */
    public <Q extends Message, R extends Message> MetadataCall<Q, R> start(
            GroupId group, Method<Q, R> method, Q body, Deadline deadline) throws TatamiException {
        return new MetadataCall<>(this, new MetadataCall.Target<>(group, method, body), deadline).start();
    }

    /**
     * Sends the same request to several groups at once and waits for all replies. The result has the order of the
     * groups.
     */
    public <Q extends Message, R extends Message> List<R> callAll(
            List<GroupId> groups, Method<Q, R> method, Q body, Deadline deadline) throws TatamiException {
        if (groups.size() == 1) {
            return List.of(call(groups.get(0), method, body, deadline));
        }
        List<MetadataCall<Q, R>> calls = new ArrayList<>(groups.size());
        for (GroupId group : groups) {
            calls.add(start(group, method, body, deadline));
        }
        return awaitAll(calls);
    }

    /** Waits for all; at the first failure the rest is abandoned. */
    public <Q extends Message, R extends Message> List<R> awaitAll(List<MetadataCall<Q, R>> calls)
            throws TatamiException {
        List<R> replies = new ArrayList<>(calls.size());
        try {
            for (MetadataCall<Q, R> call : calls) {
                replies.add(call.await());
            }
            return replies;
        } finally {
            calls.forEach(MetadataCall::abandon);
        }
    }

    /** Sends one attempt in the session, to the server that is believed to lead the group. */
    <Q extends Message, R extends Message> CompletableFuture<R> send(
            MetadataCall.Target<Q, R> target,
            InetSocketAddress server,
            MetadataCall.Attempt attempt,
            Deadline deadline) {
        CallOptions options = options(target.group(), attempt, deadline);
        return router.connect(server)
                .thenCompose(connection -> connection.call(target.method(), options, target.body()));
    }

    /** {@link #send}, and waits for the reply. */
    <Q extends Message, R extends Message> R sendAndWait(
            MetadataCall.Target<Q, R> target, InetSocketAddress server, MetadataCall.Attempt attempt, Deadline deadline)
            throws TatamiException {
        Connection connection = Replies.await(router.connect(server), deadline.atMost(limits.attempt()));
        return connection.callAndWait(target.method(), options(target.group(), attempt, deadline), target.body());
    }

    private CallOptions options(GroupId group, MetadataCall.Attempt attempt, Deadline deadline) {
        Session in = attempt.session();
        return new CallOptions(
                group,
                in.id(),
                attempt.number(),
                in.numbers().lowWaterMark(),
                deadline.atMost(limits.attempt()).remainingMillis(),
                in.proof(),
                attempt.isFirst(),
                attempt.context().bytes(),
                attempt.traceparent());
    }

    /** The present session, or a new one. A read opens none: it needs none, and safe mode refuses new sessions. */
    Session sessionFor(Method<?, ?> method, Deadline deadline) throws TatamiException {
        Session now = session;
        if (now != null) {
            return now;
        }
        return method.effect() == Effect.READS ? Session.none() : session(deadline);
    }

    /** The present session, or a new one. */
    Session session(Deadline deadline) throws TatamiException {
        Session now = session;
        return now != null ? now : replace(null, deadline);
    }

    /** A session to replace {@code lost}, which was refused; another thread may have opened it already. */
    Session replace(@Nullable Session lost, Deadline deadline) throws TatamiException {
        clock.lock(opening);
        try {
            Session now = session;
            if (now != null && now != lost) {
                return now;
            }
            OpenSessionRequest request = OpenSessionRequest.newBuilder()
                    .setClientName(limits.clientName())
                    .build();
            MetadataCall.Target<OpenSessionRequest, OpenSessionReply> target =
                    new MetadataCall.Target<>(GroupId.NAMESPACE, MetaMethods.OPEN_SESSION, request);
            Session opened = Session.of(new MetadataCall<>(this, target, deadline)
                    .begin(Session.none())
                    .await());
            session = opened;
            return opened;
        } finally {
            opening.unlock();
        }
    }

    /** Chooses the server of the next attempt, after the one at {@code asked} failed. */
    void mend(GroupId group, @Nullable InetSocketAddress asked, TatamiException failure, Deadline deadline)
            throws TatamiException {
        boolean isTold = failure.detail() instanceof Detail.Leader;
        if (asked != null && isTold && router.learn(group, asked, failure)) {
            return;
        }
        if (GroupLeaders.MAYBE_MOVED.contains(failure.code())) {
            try {
                router.refreshSince(router.refreshes(), deadline);
            } catch (TatamiException e) {
                if (!e.code().isRetryable()) {
                    throw e;
                }
                failure.addSuppressed(e);
            }
        }
        if (asked != null) {
            boolean unused = router.learn(group, asked, failure);
        }
    }

    /** @throws TatamiException CANCELLED if this is closed */
    void requireOpen(TatamiException failure) throws TatamiException {
        if (closed) {
            throw new TatamiException(ErrorCode.CANCELLED, "the client was closed: " + failure.getMessage(), failure);
        }
    }

    /**
     * Ends the session, if the namespace group answers within two seconds. Calls under way are not repeated. No method
     * may be called afterwards.
     */
    public void close() {
        closed = true;
        Session now = session;
        if (now == null) {
            return;
        }
        Deadline soon = Deadline.after(clock, CLOSE_TIMEOUT);
        MetadataCall.Target<CloseSessionRequest, Empty> target = new MetadataCall.Target<>(
                GroupId.NAMESPACE, MetaMethods.CLOSE_SESSION, CloseSessionRequest.getDefaultInstance());
        try {
            Empty unused = Replies.await(
                    send(
                            target,
                            router.address(GroupId.NAMESPACE),
                            new MetadataCall.Attempt(now, 0, true, CallerContext.NONE, ByteString.EMPTY),
                            soon),
                    soon);
        } catch (TatamiException e) {
            // Groups drop a session that was silent for an hour.
        }
    }
}
