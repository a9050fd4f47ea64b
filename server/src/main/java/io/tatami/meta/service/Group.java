package io.tatami.meta.service;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.protocol.Method;
import java.util.concurrent.CompletableFuture;

/**
 * One group hosted here, as handlers and flows see it. Safe for use by many threads.
 *
 * <p>Futures fail with a {@link io.tatami.base.TatamiException}: the operation's refusal; BUSY with the queue full;
 * {@link GroupStoppedException}, which is UNAVAILABLE, once the group has stopped; DEADLINE_EXCEEDED where the origin's
 * deadline passed before the decision; INTERNAL where the operation threw anything else, which is logged. They complete
 * on the group's threads: what hangs on them must not block.
 *
 * @param <S> the state that operations of this kind of group work on
 */
public interface Group<S> {
    GroupId id();

    /**
     * Decides in the next batch and completes once that batch is durable. A request that turns out to be unsettled is
     * parked, settled and decided anew. The reply is not remembered, whatever number the origin has.
     */
    <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request);

    /**
     * {@link #submit} with the reply remembered, in the same batch, under the origin's session and number; where it is
     * remembered already nothing is decided and it is given again. Flows use this for the one commit that makes them
     * true.
     *
     * @param method what the client called; its reply is what is remembered
     */
    <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<S, Q, R> operation, RequestOrigin origin, Q request);

    /**
     * Decides on a snapshot of durable state, off the group's thread; the operation must change nothing. Sees every
     * request whose future completed before.
     */
    <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request);
}
