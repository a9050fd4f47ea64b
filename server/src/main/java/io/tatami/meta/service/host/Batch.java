package io.tatami.meta.service.host;

import io.tatami.meta.state.Draft;
import java.util.ArrayList;
import java.util.List;

/** Requests that are decided one after the other, each seeing those before it, and become durable together. */
final class Batch {
    private final Draft draft;
    private final List<Pending<?, ?, ?>> decided = new ArrayList<>();
    private long logMillis;

    /** @param lastMillis log time of the batch before */
    Batch(Draft draft, long lastMillis) {
        this.draft = draft;
        this.logMillis = lastMillis;
    }

    /** What the requests change. */
    Draft draft() {
        return draft;
    }

    List<Pending<?, ?, ?>> decided() {
        return decided;
    }

    boolean isEmpty() {
        return decided.isEmpty();
    }

    /** Adds requests that are decided now. The first ones set the log time, which never falls. */
    void add(List<Pending<?, ?, ?>> pending, long wallMillis) {
        if (decided.isEmpty()) {
            logMillis = Math.max(logMillis, wallMillis);
        }
        decided.addAll(pending);
    }

    /** When all of them were decided, as far as they can tell. */
    long logMillis() {
        return logMillis;
    }
}
