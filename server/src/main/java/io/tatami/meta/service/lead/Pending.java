package io.tatami.meta.service.lead;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.op.UnsettledException.EntriesLeaving;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.op.UnsettledException.WriterInDoubt;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.ReadMustWaitException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeVersion;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.RequestScope.Station;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request on its way through a group. The group's thread decides it, or for reads a reader; it is answered when the
 * state it was decided on is durable. One thread at a time has it.
 */
public final class Pending<S, Q extends Message, R extends Message> {
    /** How often a request may meet something unsettled before it is given up with BUSY. */
    private static final int SETTLEMENTS_MAX = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Pending.class);

    private final Function<Draft, S> state;
    private final Operation<S, Q, R> operation;
    private final RequestOrigin origin;
    private final Q request;
    private final @Nullable Method<?, R> remembered;
    private final CompletableFuture<R> future = new CompletableFuture<>();

    /** The client's request that this is for; null for work of the service itself. */
    private final @Nullable RequestScope scope = RequestScope.current();

    private final Set<TreeVersion> settled = new HashSet<>();
    private boolean creditsAwaited;
    private boolean treeAsked;
    private String leavingAskedUpTo = "";
    private int settlements;
    private long arrivedNanos;
    private long queuedNanos;

    private @Nullable R reply;
    private @Nullable TatamiException failure;
    private @Nullable Question question;

    /** @param remembered what the client called, where the reply is to be remembered; else null */
    public Pending(
            Function<Draft, S> state,
            Operation<S, Q, R> operation,
            RequestOrigin origin,
            Q request,
            @Nullable Method<?, R> remembered) {
        this.state = state;
        this.operation = operation;
        this.origin = origin;
        this.request = request;
        this.remembered = origin.isRemembered() ? remembered : null;
    }

    public CompletableFuture<R> future() {
        return future;
    }

    public RequestOrigin origin() {
        return origin;
    }

    /** It waits from now on to be decided. */
    void queued(Clock clock) {
        arrivedNanos = clock.monotonicNanos();
        queuedNanos = arrivedNanos;
    }

    /** It is about to be decided. */
    void begun(Clock clock) {
        if (scope != null) {
            long nowNanos = clock.monotonicNanos();
            scope.spent(Station.QUEUE, nowNanos - queuedNanos);
            queuedNanos = nowNanos;
        }
    }

    /** It was decided on a snapshot. */
    void read(Clock clock) {
        if (scope != null) {
            scope.spent(Station.DECIDE, clock.monotonicNanos() - queuedNanos);
        }
    }

    /** Its batch was decided at a moment, and is durable and applied since. */
    void committed(long decidedNanos, long logNanos, long applyNanos) {
        if (scope != null) {
            scope.spent(Station.DECIDE, decidedNanos - queuedNanos);
            scope.spent(Station.LOG, logNanos);
            scope.spent(Station.APPLY, applyNanos);
        }
    }

    /** Counts how long it has waited until its batch was durable, unless it was refused or is unsettled. */
    void countTo(ChangeTimes times, long durableNanos) {
        if (reply != null) {
            times.add(durableNanos, durableNanos - arrivedNanos);
        }
    }

    /** Decides as one of {@code batch}, into which the changes go where the request is not refused. */
    public void decide(Batch batch, ClusterMap cluster, ReplyMemory memory) {
        reply = null;
        failure = null;
        question = null;
        RequestScope before = RequestScope.enter(scope);
        try {
            reply = remembered == null ? null : memory.recall(origin, remembered);
            if (reply == null) {
                decideAnew(batch, cluster, memory);
            }
        } catch (TatamiException e) {
            // Remembered already, or forgotten for good: nothing more is to be remembered.
            failure = e;
        } finally {
            RequestScope.leave(before);
        }
    }

    /** Has {@code work} done for the client's request. */
    <T> T inScope(Supplier<T> work) {
        RequestScope before = RequestScope.enter(scope);
        try {
            return work.get();
        } finally {
            RequestScope.leave(before);
        }
    }

    /** Whether it is to be tried with {@link #decideAlone}. */
    boolean mayChangeVolatileOnly() {
        return operation.mayChangeVolatileOnly(request);
    }

    /**
     * Decides, where that changes no more than volatile records, and answers. Else this is as before, and is to be
     * decided with others; so is what was done already, is refused, or has something in its way.
     *
     * @param batch of this request alone, on what is durable
     */
    boolean decideAlone(Batch batch, ClusterMap cluster, ReplyMemory memory) {
        Draft draft = new Draft(batch.view());
        try {
            if (remembered != null && memory.recall(origin, remembered) != null) {
                return false;
            }
            R decided = operation.decide(state.apply(draft), context(batch, cluster), request);
            if (!batch.acceptVolatile(draft)) {
                return false;
            }
            reply = decided;
        } catch (UnsettledException | TatamiException | RuntimeException e) {
            LOG.debug("{} is decided with others", operation.getClass().getSimpleName(), e);
            return false;
        }
        answer();
        return true;
    }

    /** Refused without a look at the state; such a refusal is not remembered. */
    public void refuse(TatamiException reason) {
        reply = null;
        question = null;
        failure = reason;
    }

    private void decideAnew(Batch batch, ClusterMap cluster, ReplyMemory memory) {
        Draft draft = new Draft(batch.view());
        try {
            R decided = operation.decide(state.apply(draft), context(batch, cluster), request);
            boolean isKnown = batch.accept(draft);
            if (remembered != null && isKnown) {
                memory.remember(origin, remembered, decided);
            }
            reply = decided;
        } catch (UnsettledException e) {
            question = e.question();
        } catch (TatamiException e) {
            refuse(e, memory);
        } catch (ReadMustWaitException | UncheckedIOException e) {
            // Whoever reads elsewhere decides it anew; or the store is broken, and with it the group.
            throw e;
        } catch (RuntimeException e) {
            LOG.error(
                    "{} met a bug in Tatami; nothing of it was done",
                    operation.getClass().getSimpleName(),
                    e);
            failure = new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + e, e);
        }
    }

    private RequestContext context(Batch batch, ClusterMap cluster) {
        return new RequestContext(
                origin.caller(),
                origin.session(),
                batch.logMillis(),
                batch.wallMillis(),
                settled,
                cluster,
                creditsAwaited,
                treeAsked,
                leavingAskedUpTo);
    }

    /** Refusals for good are remembered, so that a retry hears the same. */
    private void refuse(TatamiException refusal, ReplyMemory memory) {
        failure = refusal;
        if (remembered != null && ReplyMemory.isRemembered(refusal)) {
            memory.remember(origin, remembered, refusal);
        }
    }

    /** What has to be settled before this can be decided; null where it was decided. */
    @Nullable
    public Question question() {
        return question;
    }

    /** Notes that {@code question} was settled; false where this has met too many and comes no further. */
    public boolean settled(Question answered) {
        if (answered instanceof EntriesLeaving leaving && !leaving.upTo().isEmpty()) {
            leavingAskedUpTo = leaving.upTo();
            return true;
        }
        if (answered instanceof MarkerInDoubt marker) {
            settled.add(marker.version());
        }
        creditsAwaited |= answered instanceof CreditsAwaited;
        treeAsked |= answered instanceof WriterInDoubt;
        return ++settlements < SETTLEMENTS_MAX;
    }

    /** Reaches the crash point that this kind of operation has at a moment, unless it was refused or is unsettled. */
    void reach(String moment) {
        if (reply != null) {
            CrashPoint.hit(moment, operation.getClass());
        }
    }

    /** Answers as it was decided. */
    public void answer() {
        R decided = reply;
        TatamiException refused = failure;
        if (refused != null) {
            fail(refused);
        } else if (decided != null) {
            RequestScope before = RequestScope.enter(scope);
            try {
                future.complete(decided);
            } finally {
                RequestScope.leave(before);
            }
            reach("meta.operation.answered");
        } else {
            throw new IllegalStateException("answered before it was decided");
        }
    }

    public void fail(TatamiException reason) {
        RequestScope before = RequestScope.enter(scope);
        try {
            future.completeExceptionally(reason);
        } finally {
            RequestScope.leave(before);
        }
    }
}
