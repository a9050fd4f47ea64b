package io.tatami.meta.service.host;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.lead.FlowsInFlight;
import io.tatami.meta.service.lead.GroupLoop;
import io.tatami.meta.service.lead.Pending;
import io.tatami.meta.service.lead.ReplyMemory;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.protocol.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What {@link FlowsInFlight} is to a {@link GroupLoop}, for a {@link SteppedGroup}. */
final class SteppedFlows {
    private final SteppedGroup group;
    private final View store;
    private final ReplyMemory memory;
    private final Map<Numbered, CompletableFuture<? extends Message>> flows = new HashMap<>();

    SteppedFlows(SteppedGroup group, View store, ReplyMemory memory) {
        this.group = group;
        this.store = store;
        this.memory = memory;
    }

    private record Numbered(long session, long number, int method) {}

    /** {@code flow}, run once for each numbered request. */
    <Q extends Message, R extends Message> Flow<Q, R> once(Method<Q, R> method, Flow<Q, R> flow) {
        return (origin, request) -> {
            if (!origin.isRemembered()) {
                return flow.run(origin, request);
            }
            Numbered key = new Numbered(origin.session().value(), origin.number(), method.number());
            CompletableFuture<? extends Message> other = flows.get(key);
            if (other != null) {
                return other.thenApply(reply -> parsed(method, reply));
            }
            CompletableFuture<R> mine = new CompletableFuture<>();
            flows.put(key, mine);
            return begin(method, flow, origin, request).whenComplete((reply, thrown) -> {
                flows.remove(key);
                if (thrown == null) {
                    mine.complete(reply);
                } else {
                    mine.completeExceptionally(Causes.of(thrown));
                }
            });
        };
    }

    private static <R extends Message> R parsed(Method<?, R> method, Message reply) {
        try {
            return method.replyParser().parseFrom(reply.toByteString());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> begin(
            Method<Q, R> method, Flow<Q, R> flow, RequestOrigin origin, Q request) {
        TatamiException refusal = group.refusal();
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        try {
            R before = memory.recallStored(store, origin, method);
            if (before != null) {
                return CompletableFuture.completedFuture(before);
            }
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        return flow.run(origin, request).exceptionallyCompose(thrown -> {
            TatamiException failure = group.causeOf(thrown);
            return ReplyMemory.isRemembered(failure)
                    ? refuse(method, origin, request, failure)
                    : CompletableFuture.failedFuture(failure);
        });
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> refuse(
            Method<Q, R> method, RequestOrigin origin, Q request, TatamiException failure) {
        Operation<Draft, Q, R> refusal = (state, context, same) -> {
            throw failure;
        };
        Pending<Draft, Q, R> pending = new Pending<>(draft -> draft, refusal, origin, request, method);
        group.enqueue(pending);
        return pending.future();
    }
}
