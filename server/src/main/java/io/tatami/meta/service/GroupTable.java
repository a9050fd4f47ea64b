package io.tatami.meta.service;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;

/**
 * Where the parts of a group say which requests they serve and what they do by themselves. Filled by one thread while
 * the group is opened. A method, or a kind of question, can be given once. Who may call a method, and whether it
 * changes anything, is declared with the {@link Method}: where the way it is served contradicts that, the group does
 * not open.
 *
 * @param <S> the state that operations registered here work on
 */
public interface GroupTable<S> {
    /** Decided in a batch; the reply of a method that is done once is remembered. */
    <Q extends Message, R extends Message> GroupTable<S> write(Method<Q, R> method, Operation<S, Q, R> operation);

    /** Decided on a snapshot; changes nothing. */
    <Q extends Message, R extends Message> GroupTable<S> read(Method<Q, R> method, Operation<S, Q, R> operation);

    /**
     * One {@link Group#submitOnce}, which remembers the reply, with something before or after it that may be done again
     * when the request comes again. Costs less than a flow, whose reply is looked for before it begins.
     */
    default <Q extends Message, R extends Message> GroupTable<S> around(Method<Q, R> method, Flow<Q, R> write) {
        return flow(method, write);
    }

    /** Takes several steps. */
    <Q extends Message, R extends Message> GroupTable<S> flow(Method<Q, R> method, Flow<Q, R> flow);

    /**
     * Runs while the group is open.
     *
     * @param name for logs
     * @param wakingKinds letters of {@link io.tatami.meta.state.Keys}: a batch that writes a record of one of these
     *     kinds ends the task's rest; empty for none
     */
    GroupTable<S> background(String name, String wakingKinds, BackgroundTask task);

    <T extends Question> GroupTable<S> settle(Class<T> kind, Settler<T> settler);

    /**
     * For implementations of {@link #write} and {@link #read}: a method that is declared to change nothing is not
     * served by a write, nor any other by a read.
     */
    static void requireEffect(Method<?, ?> method, boolean isWrite) {
        boolean changes = method.effect() != Effect.READS;
        Check.check(
                changes == isWrite,
                "%s is declared with the effect %s, and is served otherwise",
                method,
                method.effect());
    }
}
