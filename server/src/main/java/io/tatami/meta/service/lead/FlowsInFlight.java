package io.tatami.meta.service.lead;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.Method;
import io.tatami.rpc.RequestScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Sees to it that a flow is run once for a request, however often that is sent: a retry waits for the flow under way,
 * and after it gets the remembered reply. Safe for use by many threads.
 */
public final class FlowsInFlight {
    private final ConcurrentMap<Request, CompletableFuture<? extends Message>> running = new ConcurrentHashMap<>();

    private record Request(SessionId session, long number, int method) {}

    /** {@code flow}, run once for each numbered request. */
    <Q extends Message, R extends Message> Flow<Q, R> once(GroupLoop loop, Method<Q, R> method, Flow<Q, R> flow) {
        return (origin, request) -> {
            if (!origin.isRemembered()) {
                return flow.run(origin, request);
            }
            Request key = new Request(origin.session(), origin.number(), method.number());
            CompletableFuture<R> mine = new CompletableFuture<>();
            CompletableFuture<? extends Message> other = running.putIfAbsent(key, mine);
            if (other != null) {
                return RequestScope.carried(other).thenApply(reply -> reparsed(method, reply));
            }
            return begin(loop, method, flow, origin, request).whenComplete((reply, thrown) -> {
                running.remove(key);
                if (thrown == null) {
                    mine.complete(reply);
                } else {
                    mine.completeExceptionally(Causes.of(thrown));
                }
            });
        };
    }

    /** The reply of a flow of the same method, whose type the map does not know. */
    private static <R extends Message> R reparsed(Method<?, R> method, Message reply) {
        try {
            return method.replyParser().parseFrom(reply.toByteString());
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException("a reply of " + method + " does not parse", e);
        }
    }

    /** Looks whether the reply is remembered, and else runs the flow; what it is refused for good is remembered too. */
    private static <Q extends Message, R extends Message> CompletableFuture<R> begin(
            GroupLoop loop, Method<Q, R> method, Flow<Q, R> flow, RequestOrigin origin, Q request) {
        return loop.recall(method, origin)
                .thenCompose(remembered -> remembered.isPresent()
                        ? CompletableFuture.completedFuture(remembered.get())
                        : flow.run(origin, request).exceptionallyCompose(thrown -> {
                            TatamiException failure = Causes.of(thrown);
                            return ReplyMemory.isRemembered(failure)
                                    ? refuse(loop, method, origin, request, failure)
                                    : CompletableFuture.failedFuture(failure);
                        }));
    }

    private static <Q extends Message, R extends Message> CompletableFuture<R> refuse(
            GroupLoop loop, Method<Q, R> method, RequestOrigin origin, Q request, TatamiException failure) {
        Operation<Draft, Q, R> refusal = (state, context, same) -> {
            throw failure;
        };
        Pending<Draft, Q, R> pending = new Pending<>(draft -> draft, refusal, origin, request, method);
        loop.submit(pending);
        return pending.future();
    }
}
