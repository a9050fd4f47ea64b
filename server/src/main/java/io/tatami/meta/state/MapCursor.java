package io.tatami.meta.state;

import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A walk over records in memory, in the order of their map; of a concurrent one, as they are when it comes there. */
public final class MapCursor implements View.Cursor {
    private final Iterator<Map.Entry<byte[], byte[]>> left;
    private Map.@Nullable Entry<byte[], byte[]> current;

    public MapCursor(SortedMap<byte[], byte[]> records) {
        this.left = records.entrySet().iterator();
    }

    @Override
    public boolean next() {
        current = left.hasNext() ? left.next() : null;
        return current != null;
    }

    @Override
    public byte[] key() {
        return at().getKey();
    }

    @Override
    public byte[] value() {
        return at().getValue();
    }

    private Map.Entry<byte[], byte[]> at() {
        Map.Entry<byte[], byte[]> entry = current;
        if (entry == null) {
            throw new IllegalStateException("the cursor stands on no record");
        }
        return entry;
    }

    @Override
    public void close() {
        current = null;
    }
}
