package io.tatami.meta.store;

import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store has applied and has not given to its database yet. Most records of a busy group are changed again within
 * milliseconds, or removed: a file's entry when it is closed, its lease, the replies of a session, the totals. Of those
 * the database is given the last value alone, which spares most of the work of a write.
 *
 * <p>Entries are added by one thread and taken by one at a time; any may look.
 */
final class UnwrittenChanges {
    /** Together with the bytes, how long a write can take and how many entries a crash can undo. */
    private static final int RECORDS_MAX = 1_024;

    private static final int BYTES_MAX = 1 << 20;

    private NavigableMap<byte[], Draft.Change> young = Draft.noChanges();
    private int youngBytes;
    /** The last entry in the young ones, which may have left no change; null where there is none. */
    private @Nullable ProgressRecord progress;

    private @Nullable NavigableMap<byte[], Draft.Change> beingWritten;

    /**
     * What is handed to the database as a whole.
     *
     * @param changes nobody changes them any more
     * @param progress the last entry in them
     */
    record Portion(NavigableMap<byte[], Draft.Change> changes, ProgressRecord progress) {}

    /** Adds an entry; true where there is so much that it should be written out. */
    synchronized boolean add(ProgressRecord next, Map<byte[], Draft.Change> changes) {
        for (Map.Entry<byte[], Draft.Change> change : changes.entrySet()) {
            byte[] value = change.getValue().value();
            youngBytes += change.getKey().length + (value == null ? 0 : value.length);
            young.merge(change.getKey(), change.getValue(), Draft.Change::then);
        }
        progress = next;
        return young.size() >= RECORDS_MAX || youngBytes >= BYTES_MAX;
    }

    /** The newest change of a record, or null where the database has its newest value. */
    synchronized Draft.@Nullable Change find(byte[] key) {
        Draft.Change change = young.get(key);
        return change == null && beingWritten != null ? beingWritten.get(key) : change;
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
        Portion portion = new Portion(young, last);
        beingWritten = young;
        young = Draft.noChanges();
        youngBytes = 0;
        progress = null;
        return portion;
    }

    /** The database has what was taken last. */
    synchronized void end() {
        beingWritten = null;
    }
}
