package io.tatami.meta.service;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.protocol.Method;
import java.util.concurrent.CompletableFuture;

/**
 * One group of this process, as handlers and flows use it. Safe for use by many threads.
 *
 * <p>Futures complete on the group's threads, so callbacks must not block. They fail with a
 * {@link io.tatami.base.TatamiException}:
 *
 * <ul>
 *   <li>the operation's refusal;
 *   <li>BUSY if the queue is full;
 *   <li>{@link GroupStoppedException}, which is UNAVAILABLE, after the group has stopped;
 *   <li>DEADLINE_EXCEEDED if the origin's deadline passed before the decision;
 *   <li>INTERNAL if the operation threw anything else, which is logged.
 * </ul>
 *
 * @param <S> the state that operations of this kind of group work on
 */
public interface Group<S> {
    GroupId id();

    /**
     * Decides in the next batch; completes when that batch is durable. An unsettled request is parked, settled and
     * decided anew. The reply is not remembered, whatever number the origin has.
     */
    <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request);

    /**
     * {@link #submit}, and remembers the reply in the same batch, under the origin's session and number. If a reply is
     * remembered already, it is returned and nothing is decided. A flow uses this for the one commit that decides it.
     *
     * @param method the client's method, whose reply is remembered
     */
    <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<S, Q, R> operation, RequestOrigin origin, Q request);

    /**
     * Decides on a snapshot of durable state; the operation must change nothing. It sees the changes of every request
     * whose future completed before.
     */
    <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request);
}
