package io.tatami.meta.service.lead;

import io.tatami.meta.state.Draft.Change;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Layer;
import io.tatami.meta.state.MapCursor;
import io.tatami.meta.state.View;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * A group's records that only its leader has, in memory: what changes no others needs no log and no device. They are
 * changed when a request is decided, by the group's thread, and may be read by all.
 *
 * <p>Who reads takes the stored records as of one moment and these as of a later one. A record that others have taken
 * the place of since is therefore not removed but left without a value, as spent, until {@link #SPENT_MAX} more are:
 * its reader does not take it for one that ended before.
 */
public final class VolatileRecords implements Layer {
    static final int SPENT_MAX = 65_536;

    private final ConcurrentNavigableMap<byte[], byte[]> records = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    /** Owned by the group's thread. */
    private final Queue<byte[]> spent = new ArrayDeque<>();

    /** The view below has no records of this kind. */
    @Override
    public View over(View below) {
        return new View() {
            @Override
            public byte @Nullable [] get(byte[] key) {
                return Keys.isVolatile(key) ? records.get(key) : below.get(key);
            }

            @Override
            public Cursor scan(byte[] from, byte[] to) {
                return Keys.isVolatile(from) ? new MapCursor(records.subMap(from, to)) : below.scan(from, to);
            }
        };
    }

    /** Takes what an operation does. */
    void change(SortedMap<byte[], Change> changes) {
        changes.forEach((key, change) -> {
            byte[] value = change.value();
            if (value == null) {
                records.remove(key);
                return;
            }
            records.put(key, value);
            if (value.length == 0) {
                spent.add(key);
            }
        });
        while (spent.size() > SPENT_MAX) {
            records.remove(spent.remove());
        }
    }
}
