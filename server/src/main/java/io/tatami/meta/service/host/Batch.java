package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Requests that are decided one after the other, each seeing those before it, and become durable together. */
final class Batch {
    private final Draft draft;
    private final @Nullable RecentRecords recent;
    private final VolatileRecords volatiles;
    private final Totals totals = new Totals();
    private final long logMillis;
    private final long wallMillis;
    private long bytes;

    private Batch(
            View base, @Nullable RecentRecords recent, VolatileRecords volatiles, long lastMillis, long wallMillis) {
        this.draft = new Draft(volatiles.beside(base));
        this.recent = recent;
        this.volatiles = volatiles;
        this.logMillis = Math.max(lastMillis, wallMillis);
        this.wallMillis = wallMillis;
    }

    /**
     * The next batch of a group.
     *
     * @param base what the batch before left
     * @param recent is laid over this batch, and told of what it does
     * @param volatiles are changed by each request at once
     * @param lastMillis log time of the batch before, below which this one's does not fall
     */
    static Batch next(View base, RecentRecords recent, VolatileRecords volatiles, long lastMillis, long wallMillis) {
        Batch batch = new Batch(base, recent, volatiles, lastMillis, wallMillis);
        recent.layOver(batch.draft);
        return batch;
    }

    /** For a request that only reads; the parameters are those of {@link #next}. */
    static Batch ofRead(View base, VolatileRecords volatiles, long lastMillis, long wallMillis) {
        return new Batch(base, null, volatiles, lastMillis, wallMillis);
    }

    /** What the next request is decided on. */
    View view() {
        return recent == null ? draft : recent;
    }

    /**
     * Takes what a request does, which was decided on {@link #view}, where that is no more than to change volatile
     * records.
     */
    boolean acceptPassing(Draft operation) {
        if (!operation.isVolatile()) {
            return false;
        }
        volatiles.change(operation.changes());
        return true;
    }

    /**
     * Takes what a request does, which was decided on {@link #view}.
     *
     * @return whether it is known later that this was done; not where it changed volatile records only, so that it may
     *     be done again
     * @throws TatamiException INVALID_ARGUMENT where it changes more than {@link ChangeLimits} allow; nothing is taken
     */
    boolean accept(Draft operation) throws TatamiException {
        bytes += ChangeLimits.require(operation);
        SortedMap<byte[], Draft.Change> passing = operation.changes().tailMap(Keys.volatiles());
        boolean isKnown = passing.isEmpty();
        if (!isKnown) {
            volatiles.change(passing);
            passing.clear();
            isKnown = !operation.isEmpty();
        }
        totals.count(operation, view());
        merge(operation);
        return isKnown;
    }

    /** Whether it changes so much that what else waits is for the next batch. */
    boolean isFull() {
        return bytes >= ChangeLimits.BATCH_BYTES_ENOUGH;
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

    /** What the clock said then. */
    long wallMillis() {
        return wallMillis;
    }
}
