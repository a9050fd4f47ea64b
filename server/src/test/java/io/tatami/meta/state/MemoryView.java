package io.tatami.meta.state;

import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A group's records in a sorted map: the store of tests. Changed only by {@link #apply}; owned by one thread. */
public final class MemoryView implements View {
    private final NavigableMap<byte[], byte[]> records = new TreeMap<>(Arrays::compareUnsigned);

    /** Makes a draft's changes, as a store does with a batch. */
    public void apply(Draft draft) {
        draft.changes().forEach((key, change) -> {
            byte[] value = change.value();
            if (value == null) {
                records.remove(key);
            } else {
                records.put(key, value);
            }
        });
    }

    /** A second view with the same records, which goes its own way from here on. */
    public MemoryView copy() {
        MemoryView copy = new MemoryView();
        copy.records.putAll(records);
        return copy;
    }

    /** Whether both hold the same records, byte for byte. */
    public boolean sameAs(MemoryView other) {
        if (records.size() != other.records.size()) {
            return false;
        }
        return records.entrySet().stream()
                .allMatch(record -> Arrays.equals(record.getValue(), other.records.get(record.getKey())));
    }

    public int size() {
        return records.size();
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return records.get(key);
    }

    @Override
    public Cursor scan(byte[] from, byte[] to) {
        return new MapCursor(records.subMap(from, true, to, false));
    }
}
