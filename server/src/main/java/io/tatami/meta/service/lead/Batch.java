package io.tatami.meta.service.lead;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A batch: requests that are decided in order, each on the state that the earlier ones left, and become durable as one
 * log entry. Used by the group's thread.
 */
public final class Batch {
    private final Draft draft;
    private final View view;
    private final @Nullable RecentRecords recent;
    private final VolatileRecords volatiles;
    private final Totals totals = new Totals();
    private final long logMillis;
    private final long wallMillis;
    private long bytes;
    private boolean ended;

    private Batch(
            View base, @Nullable RecentRecords recent, VolatileRecords volatiles, long lastMillis, long wallMillis) {
        this.draft = new Draft(volatiles.over(base));
        this.view = recent == null ? draft : recent.over(draft);
        this.recent = recent;
        this.volatiles = volatiles;
        this.logMillis = Math.max(lastMillis, wallMillis);
        this.wallMillis = wallMillis;
    }

    /**
     * The next batch of a group.
     *
     * @param base the state that the earlier batch left
     * @param recent records in memory that are laid over this batch and follow its changes
     * @param volatiles changed by each request at once
     * @param lastMillis log time of the earlier batch, below which this one's does not fall
     */
    public static Batch next(
            View base, RecentRecords recent, VolatileRecords volatiles, long lastMillis, long wallMillis) {
        return new Batch(base, recent, volatiles, lastMillis, wallMillis);
    }

    /** A batch for one request that only reads; the parameters are those of {@link #next}. */
    public static Batch ofRead(View base, VolatileRecords volatiles, long lastMillis, long wallMillis) {
        return new Batch(base, null, volatiles, lastMillis, wallMillis);
    }

    /** The state for the next request. */
    View view() {
        return view;
    }

    /**
     * Takes the changes of a request that was decided on {@link #view}, if they are of volatile records only.
     *
     * @return whether they were taken
     */
    boolean acceptVolatile(Draft operation) {
        if (!operation.isVolatile()) {
            return false;
        }
        volatiles.change(operation.changes());
        return true;
    }

    /**
     * Takes the changes of a request that was decided on {@link #view}.
     *
     * @return whether a retry will find that it was executed; false if it changed only volatile records, so it may be
     *     executed again
     * @throws TatamiException INVALID_ARGUMENT if it changes more than {@link ChangeLimits} allow; nothing is taken
     */
    boolean accept(Draft operation) throws TatamiException {
        Check.check(!ended, "a request is decided for a batch that has ended");
        if (recent == null) {
            // A read must change nothing, least of all the leader's records; requireUnchanged tells.
            operation.mergeInto(draft);
            return true;
        }
        bytes += ChangeLimits.require(operation);
        SortedMap<byte[], Draft.Change> ofLeader = operation.changes().tailMap(Keys.volatiles());
        boolean isKnown = ofLeader.isEmpty();
        if (!isKnown) {
            volatiles.change(ofLeader);
            ofLeader.clear();
            isKnown = !operation.isEmpty();
        }
        totals.count(operation, view());
        merge(operation);
        return isKnown;
    }

    /** Whether the batch has so many changes that the waiting requests go to the next one. */
    boolean isFull() {
        return bytes >= ChangeLimits.BATCH_BYTES_ENOUGH;
    }

    /** Ends the deciding: adds the totals to the changes. */
    public Draft end() {
        ended = true;
        Draft sums = new Draft(draft);
        totals.writeTo(sums);
        merge(sums);
        Check.check(draft.changes().tailMap(Keys.volatiles()).isEmpty(), "volatile records are about to be logged");
        return draft;
    }

    /** Checks, after a read was decided, that it changed nothing. */
    public void requireUnchanged() {
        Check.check(draft.isEmpty(), "a read changes records");
    }

    private void merge(Draft changes) {
        changes.mergeInto(draft);
        if (recent != null) {
            recent.changed(changes.changes());
        }
    }

    /** The changes of all requests. */
    public Draft draft() {
        return draft;
    }

    /** The log time at which all requests are decided, in milliseconds. */
    public long logMillis() {
        return logMillis;
    }

    /** The wall clock at that moment, in milliseconds. */
    long wallMillis() {
        return wallMillis;
    }
}
