package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import java.util.List;
import java.util.Optional;

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

    /** What becomes of a batch that the group's log is to write now. */
    Write write();

    /** It is in the log, which told an error; it is done when the group starts again, and nobody may know before. */
    void written(SteppedGroup group, Decided decided);

    /**
     * The group's log told an error: the group answers nothing until it starts again.
     *
     * @param written is in the log all the same; empty where nothing is
     */
    void stopped(SteppedGroup group, Optional<Draft> written);

    /**
     * A batch is durable as a whole, and nobody was answered; the group may crash here.
     *
     * @param batch what was not refused, in the order of the decisions; may be empty
     */
    void committed(SteppedGroup group, List<Decided> batch);

    /** Whoever asked knows it; the group may crash here. */
    void answered(SteppedGroup group, Operation<?, ?, ?> operation);

    /** Something threw what is no refusal. */
    void bug(Throwable thrown);

    /** What a log does with a batch. */
    enum Write {
        DURABLE,
        /** It tells an error after the batch was written. */
        WRITTEN_AND_FAILED,
        /** It tells an error, and nothing was written. */
        LOST_AND_FAILED
    }

    /** Does something beside operations, so that they go wrong. */
    interface Meddling {
        /** Whether a group whose log has failed answers as if nothing had been written. */
        boolean answersAfterFailure();

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
