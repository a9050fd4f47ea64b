package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;

/** What a simulation decides for a {@link SteppedGroup}, and what it is told of. */
public interface SteppedWork {
    /** Runs something later, unless the group has crashed by then. */
    void later(SteppedGroup group, long delayMillis, Runnable action);

    /** Until a request is looked at, or a read is decided. */
    long decisionMillis();

    /** How long a batch takes to become durable. */
    long commitMillis();

    /** What a test does to operations. */
    Meddling meddling();

    /** An operation was decided as part of a batch that is not durable yet; the group may crash here. */
    void decided(SteppedGroup group, Operation<?, ?, ?> operation);

    /** It is durable, and nobody was answered; in the order of the decisions. The group may crash behind the last. */
    void committed(SteppedGroup group, Decided decided);

    /** Whoever asked knows it; the group may crash here. */
    void answered(SteppedGroup group, Operation<?, ?, ?> operation);

    /** Something threw what is no refusal. */
    void bug(Throwable thrown);

    /** Does something beside operations, so that they go wrong. */
    interface Meddling {
        /** Whether what the operation changes is forgotten. */
        boolean drops(Operation<?, ?, ?> operation);

        void before(Operation<?, ?, ?> operation, Draft records, Message request);

        /** Where it was not refused. */
        void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply);
    }

    /**
     * An operation that was not refused.
     *
     * @param once whether it is remembered, so that it is done once
     */
    record Decided(Operation<?, ?, ?> operation, RequestOrigin origin, boolean once, Message request, Message reply) {}
}
