package io.tatami.meta.service.host;

import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import org.jspecify.annotations.Nullable;

/** Requests that are decided one after the other, each seeing those before it, and become durable together. */
final class Batch {
    private final Draft draft;
    private final @Nullable RecentRecords recent;
    private final Totals totals = new Totals();
    private final long logMillis;

    private Batch(View base, @Nullable RecentRecords recent, long logMillis) {
        this.draft = new Draft(base);
        this.recent = recent;
        this.logMillis = logMillis;
    }

    /**
     * The next batch of a group.
     *
     * @param base what the batch before left
     * @param recent is laid over this batch, and told of what it does
     * @param lastMillis log time of the batch before, below which this one's does not fall
     */
    static Batch next(View base, RecentRecords recent, long lastMillis, long wallMillis) {
        Batch batch = new Batch(base, recent, Math.max(lastMillis, wallMillis));
        recent.layOver(batch.draft);
        return batch;
    }

    /** For a request that only reads. */
    static Batch ofRead(View base, long nowMillis) {
        return new Batch(base, null, nowMillis);
    }

    /** What the next request is decided on. */
    View view() {
        return recent == null ? draft : recent;
    }

    /** Takes what a request does, which was decided on {@link #view}. */
    void accept(Draft operation) {
        totals.count(operation, view());
        merge(operation);
    }

    /** Says that nothing more is decided: the changes get their totals. */
    Draft end() {
        Draft sums = new Draft(draft);
        totals.writeTo(sums);
        merge(sums);
        return draft;
    }

    private void merge(Draft changes) {
        changes.mergeInto(draft);
        if (recent != null) {
            recent.changed(changes.changes());
        }
    }

    /** What the requests change. */
    Draft draft() {
        return draft;
    }

    /** When all of them were decided, as far as they can tell. */
    long logMillis() {
        return logMillis;
    }
}
