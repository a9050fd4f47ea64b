package io.tatami.meta.store;

import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Layer;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ProgressRecord;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a store has applied and has not given to its database yet. Most records of a busy group are changed again within
 * milliseconds, or removed: a file's entry when it is closed, its lease, the replies of a session, the totals. Of those
 * the database is given the last value alone, which spares most of the work of a write.
 *
 * <p>Entries are added by one thread and taken by one at a time; any may look.
 */
final class UnwrittenChanges implements Layer {
    /** Together with the bytes, how long a write can take and how many entries a crash can undo. */
    private static final int RECORDS_MAX = 1_024;

    private static final int BYTES_MAX = 1 << 20;

    private Changes young = new Changes();
    /** The last entry in the young ones, which may have left no change; null where there is none. */
    private @Nullable ProgressRecord progress;

    private @Nullable Changes beingWritten;

    /**
     * What is handed to the database as a whole.
     *
     * @param changes nobody changes them any more
     * @param progress the last entry in them
     */
    record Portion(Map<byte[], Draft.Change> changes, ProgressRecord progress) {}

    /** Adds an entry; true where there is so much that it should be written out. */
    synchronized boolean add(ProgressRecord next, Map<byte[], Draft.Change> changes) {
        young.addAll(changes);
        progress = next;
        return young.size() >= RECORDS_MAX || young.bytesAdded() >= BYTES_MAX;
    }

    /** Walks see only what is below: before a walk the database is given all changes. */
    @Override
    public View over(View below) {
        return Layer.lookups(below, key -> {
            Draft.Change change = find(key);
            return change == null ? below.get(key) : change.value();
        });
    }

    /** The newest change of a record, or null where the database has its newest value. */
    private synchronized Draft.@Nullable Change find(byte[] key) {
        Draft.Change change = young.find(key);
        return change == null && beingWritten != null ? beingWritten.find(key) : change;
    }

    /** Whether the database has everything. */
    synchronized boolean isEmpty() {
        return progress == null && beingWritten == null;
    }

    /** Takes all there is, or null where that is nothing; it can be looked for here until {@link #end}. */
    synchronized @Nullable Portion begin() {
        ProgressRecord last = progress;
        if (last == null) {
            return null;
        }
        Portion portion = new Portion(young.byKey(), last);
        beingWritten = young;
        young = new Changes();
        progress = null;
        return portion;
    }

    /** The database has what was taken last. */
    synchronized void end() {
        beingWritten = null;
    }
}
