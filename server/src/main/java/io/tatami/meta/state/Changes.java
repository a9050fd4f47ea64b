package io.tatami.meta.state;

import io.tatami.meta.state.Draft.Change;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A layer of changes. It has the last change of each changed record, which hides the record below. For one thread. */
public final class Changes implements Layer {
    private final NavigableMap<byte[], Change> byKey = noChanges();
    private long bytes;

    /** An empty map of changes, ordered by key. */
    public static NavigableMap<byte[], Change> noChanges() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    /** Adds a change of a record, over an earlier one if there is one. */
    void add(byte[] key, Change change) {
        bytes += bytesOf(key, change);
        byKey.merge(key, change, Change::then);
    }

    /** Adds each of them. */
    public void addAll(Map<byte[], Change> changes) {
        changes.forEach(this::add);
    }

    /** The change of a record; null if it is unchanged. */
    public @Nullable Change find(byte[] key) {
        return byKey.get(key);
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** The number of changed records. */
    public int size() {
        return byKey.size();
    }

    /** The bytes of all keys and values that were added, replaced ones included. */
    public long bytesAdded() {
        return bytes;
    }

    /** The bytes of a key and its new value. */
    public static long bytesOf(byte[] key, Change change) {
        byte[] value = change.value();
        return key.length + (value == null ? 0L : value.length);
    }

    /** The changes by key, in rising order. */
    public NavigableMap<byte[], Change> byKey() {
        return byKey;
    }

    @Override
    public View over(View below) {
        return new ChangedView(below, this);
    }

    private record ChangedView(View below, Changes changes) implements View {
        @Override
        public byte @Nullable [] get(byte[] key) {
            Change change = changes.find(key);
            return change == null ? below.get(key) : change.value();
        }

        @Override
        public Cursor scan(byte[] from, byte[] to) {
            NavigableMap<byte[], Change> above = changes.byKey.subMap(from, true, to, false);
            return above.isEmpty() ? below.scan(from, to) : new MergedCursor(below.scan(from, to), above);
        }
    }

    /** Merges two sorted runs. If both have a key, the record above is returned. */
    private static final class MergedCursor implements View.Cursor {
        private final View.Cursor below;
        private final Iterator<Map.Entry<byte[], Change>> above;
        private boolean belowHasRecord;
        private Map.@Nullable Entry<byte[], Change> aboveRecord;
        private byte @Nullable [] key;
        private byte @Nullable [] value;

        MergedCursor(View.Cursor below, NavigableMap<byte[], Change> above) {
            this.below = below;
            this.above = above.entrySet().iterator();
            this.belowHasRecord = below.next();
            this.aboveRecord = this.above.next();
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
