package io.tatami.client.meta;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.CallerContext;
import io.tatami.protocol.Method;
import io.tatami.rpc.GroupLeaders;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request to one group, with all its attempts. All attempts carry the same number in the session, so the group
 * executes the request once. The request gets a new number, in a new session, only if its session is gone and no
 * attempt can have been executed. A stale handle ends the call, because a request with another handle is another
 * request. Used by one thread.
 */
public final class MetadataCall<Q extends Message, R extends Message> {
    /**
     * The greatest age, by the wall clock, at which a request is sent again. Groups remember replies for longer. Only a
     * process that was stopped or a host that slept is that late; the monotonic clock may have stopped as well.
     */
    static final Duration AGE_MAX = Duration.ofHours(12);

    private final MetadataCaller caller;
    private final Target<Q, R> target;

    /** Of the thread that began the call, which others may go on with. */
    private final CallerContext context;

    private final ByteString traceparent;

    private Deadline deadline;
    private @Nullable Session session;
    private long number;
    private long begunMillis;

    /** The attempt that {@link #start} has sent. Null if it failed or none was sent; then {@link #await} sends. */
    private @Nullable CompletableFuture<R> ahead;

    /** The server of the newest attempt; null if no server was known. */
    private @Nullable InetSocketAddress asked;

    /** Whether an attempt may have been executed although its reply was lost. */
    private boolean maybeDone;

    /** The newest refusal by a server. It explains a failure better than that the deadline is over. */
    private @Nullable TatamiException lastRefusal;

    /** Something was sent under the number. */
    private boolean wasSent;

    private boolean ended;

    /** The number of an attempt, whether it is the first one, for whom it is made, and the trace of all attempts. */
    record Attempt(Session session, long number, boolean isFirst, CallerContext context, ByteString traceparent) {}

    /** The request and its group. */
    record Target<Q extends Message, R extends Message>(GroupId group, Method<Q, R> method, Q body) {}

    MetadataCall(MetadataCaller caller, Target<Q, R> target, Deadline deadline) {
        this.caller = caller;
        this.target = target;
        this.context = caller.contexts().current();
        this.traceparent = caller.newTraceparent();
        this.deadline = deadline;
    }

    /** Sends the first attempt and returns. */
    MetadataCall<Q, R> start() throws TatamiException {
        begin(caller.sessionFor(target.method(), deadline));
        try {
            ahead = caller.send(target, server(), nextAttempt(), deadline);
        } catch (TatamiException e) {
            ahead = CompletableFuture.failedFuture(e);
        }
        return this;
    }

    /** {@link #begin} in the present session, or a new one. */
    MetadataCall<Q, R> begin() throws TatamiException {
        return begin(caller.sessionFor(target.method(), deadline));
    }

    /** Takes its number; nothing is sent yet. */
    MetadataCall<Q, R> begin(Session in) {
        session = in;
        begunMillis = caller.wallMillis();
        number = target.method().idempotent() ? 0 : in.numbers().begin();
        wasSent = false;
        return this;
    }

    private Attempt nextAttempt() {
        Attempt next = new Attempt(started(), number, !wasSent, context, traceparent);
        wasSent = true;
        return next;
    }

    /** Whom to ask now. */
    private InetSocketAddress server() throws TatamiException {
        asked = null;
        InetSocketAddress server = caller.router().address(target.group());
        asked = server;
        return server;
    }

    /** Sets a new deadline, for a call that was interrupted and is awaited again. */
    public void extend(Deadline until) {
        deadline = until;
    }

    /**
     * Runs {@code then} when the first attempt is answered, on the thread that receives the answer. It must not block.
     */
    void whenAnswered(Consumer<Boolean> then) {
        CompletableFuture<R> sent = ahead;
        if (sent == null) {
            throw new IllegalStateException(target.method() + " was not sent ahead");
        }
        CompletableFuture<R> unused = sent.whenComplete((reply, failure) -> then.accept(failure == null));
    }

    /**
     * Waits for the reply. Repeats the attempt after retryable failures until the deadline.
     *
     * @throws TatamiException the group's refusal; STALE_HANDLE; after the deadline the last refusal; REPLY_EVICTED if
     *     it cannot be known any more whether the request was executed; CANCELLED on an interrupt, after which the call
     *     may be awaited again, or abandoned
     */
    public R await() throws TatamiException {
        Check.check(!ended, "%s has ended", target.method());
        Backoff backoff = caller.backoff();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return attempt();
                } catch (TatamiException e) {
                    interrupted = isInterrupt(e);
                    tryAgain(e, backoff);
                }
            }
        } finally {
            if (!interrupted) {
                end();
            }
        }
    }

    private R attempt() throws TatamiException {
        CompletableFuture<R> sent = ahead;
        if (sent == null) {
            return caller.sendAndWait(target, server(), nextAttempt(), deadline);
        }
        try {
            return Replies.await(sent, deadline);
        } catch (TatamiException e) {
            if (!isInterrupt(e)) {
                ahead = null;
            }
            throw e;
        }
    }

    /** Whether the waiting thread was interrupted, rather than the call refused. */
    private static boolean isInterrupt(TatamiException failure) {
        return failure.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted();
    }

    /** Gives the call up, unless it has ended. Whether its change is executed remains unknown. */
    public void abandon() {
        if (!ended) {
            if (ahead != null) {
                ahead.cancel(true);
            }
            end();
        }
    }

    private void tryAgain(TatamiException failure, Backoff backoff) throws TatamiException {
        ErrorCode code = failure.code();
        if (!code.isRetryable() || code == ErrorCode.STALE_HANDLE) {
            throw failure;
        }
        caller.requireOpen(failure);
        if (code != ErrorCode.DEADLINE_EXCEEDED) {
            lastRefusal = failure;
        }
        if (deadline.isOver()) {
            throw givenUp(lastRefusal == null ? failure : lastRefusal);
        }
        maybeDone |= code == ErrorCode.UNAVAILABLE || code == ErrorCode.DEADLINE_EXCEEDED;
        if (number > 0 && maybeDone && caller.wallMillis() - begunMillis > AGE_MAX.toMillis()) {
            throw new TatamiException(
                    ErrorCode.REPLY_EVICTED,
                    target.method()
                            + " may have been executed; its first attempt is too old for a retry. Check the result before a new attempt",
                    failure);
        }
        if (code == ErrorCode.NO_SUCH_SESSION) {
            backoff.pause(deadline);
            renumber(failure);
            return;
        }
        caller.mend(target.group(), asked, failure, deadline);
        if (GroupLeaders.MAYBE_MOVED.contains(code)) {
            backoff.pauseLeaderless(deadline);
        } else {
            backoff.pause(deadline);
        }
    }

    private TatamiException givenUp(TatamiException reason) {
        return reason.retold(target.method() + " on " + target.group() + " at "
                + caller.router().leader(target.group()) + " was given up: " + reason.getMessage());
    }

    private void renumber(TatamiException failure) throws TatamiException {
        Session lost = started();
        if (number > 0) {
            lost.numbers().end(number);
            number = 0;
            if (maybeDone) {
                throw new TatamiException(
                        ErrorCode.REPLY_EVICTED,
                        target.method()
                                + " may have been executed, but its session has expired. Check the result before a new attempt",
                        failure);
            }
        }
        begin(caller.replace(lost, deadline));
    }

    private void end() {
        ended = true;
        if (number > 0) {
            started().numbers().end(number);
            number = 0;
        }
    }

    private Session started() {
        if (session == null) {
            throw new IllegalStateException("the call was not started");
        }
        return session;
    }
}
