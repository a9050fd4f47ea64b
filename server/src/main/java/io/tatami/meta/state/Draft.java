package io.tatami.meta.state;

import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * A view with changes laid over it: an operation reads its own writes. A dropped draft leaves no trace. Drafts nest:
 * the batch is a draft over the store; each operation's draft is over the batch, and is merged into it if the operation
 * succeeds. Owned by one thread.
 */
public final class Draft implements View {
    private final Changes changes = new Changes();
    private final View seen;

    public Draft(View base) {
        this.seen = changes.over(base);
    }

    /**
     * The new value of one record.
     *
     * @param value null removes the record
     * @param isNew whether it is known that the base has no record under the key
     */
    public record Change(byte @Nullable [] value, boolean isNew) {
        public Change(byte @Nullable [] value) {
            this(value, false);
        }

        /** This change and a later one of the same record, as one change; null if together they change nothing. */
        @Nullable
        Change then(Change later) {
            return isNew && later.value == null ? null : new Change(later.value, isNew);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return seen.get(key);
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        return seen.scan(from, to);
    }

    /** This draft's own change of a record; null where it has none. */
    @Nullable
    Change change(byte[] key) {
        return changes.find(key);
    }

    public void put(byte[] key, byte[] value) {
        changes.add(key, new Change(value));
    }

    /** Puts a record under a newly minted key. The base is not searched for it. */
    void putNew(byte[] key, byte[] value) {
        changes.add(key, new Change(value, true));
    }

    /** Removes the record, if there is one. */
    public void delete(byte[] key) {
        changes.add(key, new Change(null));
    }

    /** The changes, ordered by key; of each key the last one. */
    public NavigableMap<byte[], Change> changes() {
        return changes.byKey();
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Whether there are changes, all of {@linkplain Keys#isVolatile volatile} records. */
    public boolean isVolatile() {
        return !changes.isEmpty() && changes().headMap(Keys.volatiles()).isEmpty();
    }

    /** Merges this draft's changes into {@code target}, which must be its base. */
    public void mergeInto(Draft target) {
        target.changes.addAll(changes());
    }
}
