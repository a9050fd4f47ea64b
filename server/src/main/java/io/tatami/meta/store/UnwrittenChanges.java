package io.tatami.meta.store;

import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
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

    private TreeMap<byte[], Draft.Change> young = noChanges();
    private ProgressRecord progress = ProgressRecord.getDefaultInstance();
    private int youngEntries;
    private int youngBytes;
    private volatile boolean isEmpty = true;
    private @Nullable NavigableMap<byte[], Draft.Change> beingWritten;

    /**
     * What is handed to the database as a whole.
     *
     * @param changes nobody changes them any more
     * @param progress the last entry in them
     */
    record Portion(NavigableMap<byte[], Draft.Change> changes, ProgressRecord progress) {}

    private static TreeMap<byte[], Draft.Change> noChanges() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    /** Adds an entry; true where there is so much that it should be written out. */
    synchronized boolean add(ProgressRecord next, Map<byte[], Draft.Change> changes) {
        for (Map.Entry<byte[], Draft.Change> change : changes.entrySet()) {
            byte[] value = change.getValue().value();
            youngBytes += change.getKey().length + (value == null ? 0 : value.length);
            young.merge(change.getKey(), change.getValue(), Draft.Change::then);
        }
        progress = next;
        youngEntries++;
        isEmpty = false;
        return young.size() >= RECORDS_MAX || youngBytes >= BYTES_MAX;
    }

    /** The newest change of a record, or null where the database has its newest value. */
    synchronized Draft.@Nullable Change find(byte[] key) {
        Draft.Change change = young.get(key);
        return change == null && beingWritten != null ? beingWritten.get(key) : change;
    }

    /** Whether the database has everything. */
    boolean isEmpty() {
        return isEmpty;
    }

    /** Takes all there is, or null where that is nothing; it can be looked for here until {@link #end}. */
    synchronized @Nullable Portion begin() {
        if (youngEntries == 0) {
            return null;
        }
        Portion portion = new Portion(young, progress);
        beingWritten = young;
        young = noChanges();
        youngEntries = 0;
        youngBytes = 0;
        return portion;
    }

    /** The database has what was taken last. */
    synchronized void end() {
        beingWritten = null;
        isEmpty = youngEntries == 0;
    }
}
