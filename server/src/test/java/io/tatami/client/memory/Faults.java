package io.tatami.client.memory;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong between a connection and the groups of {@link MemoryMetadata}, and what arrived there. Safe for use
 * by many threads.
 */
public final class Faults {
    private final Map<Integer, Deque<Fault>> next = new HashMap<>();
    private final Map<Integer, Message> answers = new HashMap<>();
    private final Map<Integer, Runnable> before = new HashMap<>();
    private final List<Arrival> arrivals = new ArrayList<>();

    /** A request as it arrived. */
    public record Arrival(int method, long session, long number, long lowWaterMark, Object body) {}

    /** What becomes of one request. */
    sealed interface Fault {
        /**
         * The client's answer.
         *
         * @param request does the request
         */
        <R extends Message> CompletableFuture<R> befall(Method<?, R> method, Supplier<CompletableFuture<R>> request);
    }

    /** The request is not done. */
    private record Refusal(TatamiException failure) implements Fault {
        @Override
        public <R extends Message> CompletableFuture<R> befall(
                Method<?, R> method, Supplier<CompletableFuture<R>> request) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** The request is done, and its client hears of a failure. */
    private record LostReply(TatamiException failure) implements Fault {
        @Override
        public <R extends Message> CompletableFuture<R> befall(
                Method<?, R> method, Supplier<CompletableFuture<R>> request) {
            return request.get().thenCompose(done -> CompletableFuture.failedFuture(failure));
        }
    }

    /** The request is not done, and its client has this reply. */
    private record Answer(Message reply) implements Fault {
        @Override
        public <R extends Message> CompletableFuture<R> befall(
                Method<?, R> method, Supplier<CompletableFuture<R>> request) {
            return CompletableFuture.completedFuture(MemoryMetadata.parsed(method, reply));
        }
    }

    /** The next request of this method is refused. */
    public void refuseNext(Method<?, ?> method, ErrorCode code) {
        refuseNext(method, new TatamiException(code, "refused by the test"));
    }

    /** The next request of this method is refused with just this. */
    public void refuseNext(Method<?, ?> method, TatamiException refusal) {
        add(method, new Refusal(refusal));
    }

    /** The next request of this method is done, but its client hears that the server is unavailable. */
    public void loseNextReply(Method<?, ?> method) {
        add(method, new LostReply(new TatamiException(ErrorCode.UNAVAILABLE, "reply lost by the test")));
    }

    /** The next request of this method is answered with {@code reply} and not done. */
    public <R extends Message> void answerNext(Method<?, R> method, R reply) {
        add(method, new Answer(reply));
    }

    /** Every request of this method to which nothing else happens is answered with {@code reply} and not done. */
    public synchronized <R extends Message> void answerAll(Method<?, R> method, R reply) {
        answers.put(method.number(), reply);
    }

    /** {@code action} happens when the next request of this method arrives, before it is looked at. */
    public synchronized void beforeNext(Method<?, ?> method, Runnable action) {
        before.put(method.number(), action);
    }

    private synchronized void add(Method<?, ?> method, Fault fault) {
        next.computeIfAbsent(method.number(), key -> new ArrayDeque<>()).add(fault);
    }

    /** Notes a request; what is to happen before it is looked at, or null. */
    synchronized @Nullable Runnable arrive(Arrival arrival) {
        arrivals.add(arrival);
        return before.remove(arrival.method());
    }

    /** What becomes of the request that is looked at now; null for what comes of it by itself. */
    synchronized @Nullable Fault next(Method<?, ?> method) {
        Deque<Fault> faults = next.get(method.number());
        if (faults != null && !faults.isEmpty()) {
            return faults.remove();
        }
        Message answer = answers.get(method.number());
        return answer == null ? null : new Answer(answer);
    }

    /** Requests of a method since the last {@link #forget}, in order. */
    public synchronized List<Arrival> arrivals(Method<?, ?> method) {
        return arrivals.stream()
                .filter(arrival -> arrival.method() == method.number())
                .toList();
    }

    public synchronized int total() {
        return arrivals.size();
    }

    public synchronized void forget() {
        arrivals.clear();
    }
}
