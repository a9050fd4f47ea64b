package io.tatami.meta.state;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A view with changes laid over it: an operation reads its own writes. A dropped draft leaves no trace. Drafts nest:
 * the batch is a draft over the store; each operation's draft is over the batch, and is merged into it if the operation
 * succeeds. Owned by one thread.
 */
public final class Draft implements View {
    private final View base;
    private final NavigableMap<byte[], Change> changes = noChanges();

    public Draft(View base) {
        this.base = base;
    }

    /** An empty map of changes, ordered by key. */
    public static NavigableMap<byte[], Change> noChanges() {
        return new TreeMap<>(Arrays::compareUnsigned);
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
        public @Nullable Change then(Change later) {
            return isNew && later.value == null ? null : new Change(later.value, isNew);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        Change change = changes.get(key);
        return change == null ? base.get(key) : change.value();
    }

    public void put(byte[] key, byte[] value) {
        change(key, new Change(value));
    }

    /** Puts a record under a newly minted key. The base is not searched for it. */
    public void putNew(byte[] key, byte[] value) {
        change(key, new Change(value, true));
    }

    /** Removes the record, if there is one. */
    public void delete(byte[] key) {
        change(key, new Change(null));
    }

    private void change(byte[] key, Change change) {
        changes.merge(key, change, Change::then);
    }

    /** The changes, ordered by key; of each key the last one. */
    public NavigableMap<byte[], Change> changes() {
        return changes;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Whether there are changes, all of {@linkplain Keys#isVolatile volatile} records. */
    public boolean isVolatile() {
        return !changes.isEmpty() && changes.headMap(Keys.volatiles()).isEmpty();
    }

    /** Merges this draft's changes into {@code target}, which must be its base. */
    public void mergeInto(Draft target) {
        changes.forEach(target::change);
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        NavigableMap<byte[], Change> overlay = changes.subMap(from, true, to, false);
        return overlay.isEmpty() ? base.scan(from, to) : new MergedCursor(base.scan(from, to), overlay);
    }

    /** Merges two sorted runs. If both have a key, the overlay's record is returned. */
    private static final class MergedCursor implements Cursor {
        private final Cursor below;
        private final Iterator<Map.Entry<byte[], Change>> above;
        private boolean belowHasRecord;
        private Map.@Nullable Entry<byte[], Change> aboveRecord;
        private byte @Nullable [] key;
        private byte @Nullable [] value;

        MergedCursor(Cursor below, NavigableMap<byte[], Change> overlay) {
            this.below = below;
            this.above = overlay.entrySet().iterator();
            this.belowHasRecord = below.next();
            this.aboveRecord = above.next();
        }

        @Override
        public boolean next() {
            while (true) {
                Map.Entry<byte[], Change> top = aboveRecord;
                if (top == null && !belowHasRecord) {
                    return false;
                }
                int order = top == null ? -1 : belowHasRecord ? Arrays.compareUnsigned(below.key(), top.getKey()) : 1;
                if (order < 0 || top == null) {
                    key = below.key();
                    value = below.value();
                    belowHasRecord = below.next();
                    return true;
                }
                if (order == 0) {
                    belowHasRecord = below.next();
                }
                aboveRecord = above.hasNext() ? above.next() : null;
                byte[] changed = top.getValue().value();
                if (changed != null) {
                    key = top.getKey();
                    value = changed;
                    return true;
                }
            }
        }

        @Override
        public byte[] key() {
            return present(key);
        }

        @Override
        public byte[] value() {
            return present(value);
        }

        private static byte[] present(byte @Nullable [] bytes) {
            if (bytes == null) {
                throw new IllegalStateException("the cursor stands on no record");
            }
            return bytes;
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
