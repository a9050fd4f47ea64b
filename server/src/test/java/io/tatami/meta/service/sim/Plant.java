package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.host.SteppedWork;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.Method;
import org.jspecify.annotations.Nullable;

/** A bug that a test puts in: it does something beside an operation, or to the messages between groups. */
interface Plant extends SteppedWork.Meddling {
    Plant NONE = new Plant() {};

    @Override
    default boolean answersAfterFailure() {
        return false;
    }

    @Override
    default boolean drops(Operation<?, ?, ?> operation) {
        return false;
    }

    @Override
    default void before(Operation<?, ?, ?> operation, Draft records, Message request) {}

    @Override
    default void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {}

    /** What a group that calls another is told without that being asked; null where it is asked. */
    default @Nullable Message answered(Method<?, ?> method) {
        return null;
    }

    /** What the other is asked instead. */
    default Message asked(Message request) {
        return request;
    }

    /** What the caller is told instead. */
    default Message told(Message reply) {
        return reply;
    }
}
