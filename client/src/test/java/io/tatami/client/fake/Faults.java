package io.tatami.client.fake;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What goes wrong at the fake metadata server, and what arrived there. Safe for use by many threads. */
public final class Faults {
    private final Map<Integer, Deque<Fault>> waiting = new HashMap<>();
    private final Map<Integer, Runnable> before = new HashMap<>();
    private final List<Arrival> arrivals = new ArrayList<>();

    /** A request as it arrived. */
    public record Arrival(int method, long session, long number, long lowWaterMark, Object body) {}

    /** @param done whether the request is done first, so that only its reply is lost */
    record Fault(TatamiException failure, boolean done) {}

    /** The next request of this method is refused. */
    public void refuseNext(Method<?, ?> method, ErrorCode code) {
        refuseNext(method, new TatamiException(code, "refused by the test"));
    }

    /** The next request of this method is refused with just this. */
    public void refuseNext(Method<?, ?> method, TatamiException refusal) {
        add(method, new Fault(refusal, false));
    }

    /** The next request of this method is done, but its client hears that the server is unavailable. */
    public void loseNextReply(Method<?, ?> method) {
        add(method, new Fault(new TatamiException(ErrorCode.UNAVAILABLE, "reply lost by the test"), true));
    }

    /** {@code action} happens when the next request of this method arrives, before it is looked at. */
    public synchronized void beforeNext(Method<?, ?> method, Runnable action) {
        before.put(method.number(), action);
    }

    private synchronized void add(Method<?, ?> method, Fault fault) {
        waiting.computeIfAbsent(method.number(), key -> new ArrayDeque<>()).add(fault);
    }

    synchronized @Nullable Fault arrive(Arrival arrival) {
        arrivals.add(arrival);
        Runnable action = before.remove(arrival.method());
        if (action != null) {
            action.run();
        }
        Deque<Fault> faults = waiting.get(arrival.method());
        return faults == null ? null : faults.poll();
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
