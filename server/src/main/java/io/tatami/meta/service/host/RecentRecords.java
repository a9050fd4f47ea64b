package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.View;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store as the thread that decides on it sees it, with the records that were read or changed last kept at hand, also that
 * a key has none: a request is decided on records that those before it left, and asking the store for each costs more than
 * deciding. Long values are not kept, so that the number of records bounds the memory. Owned by one thread.
 */
final class RecentRecords implements View {
    private static final int RECORDS_MAX = 8_192;
    private static final int VALUE_BYTES_MAX = 1_024;
    private static final byte REPLY = Keys.kind('c')[0];
    private static final float LOAD_FACTOR = 0.75f;

    private final View store;

    /** By key, the one used longest ago first; a change to null says that there is no record. */
    private final Map<ByteString, Draft.Change> recent = new LinkedHashMap<>(1_024, LOAD_FACTOR, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteString, Draft.Change> eldest) {
            return size() > RECORDS_MAX;
        }
    };

    /** @param store shows what was applied last; nobody applies anything but what {@link #changed} is told of */
    RecentRecords(View store) {
        this.store = store;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        ByteString wrapped = UnsafeByteOperations.unsafeWrap(key);
        Draft.Change known = recent.get(wrapped);
        if (known != null) {
            return known.value();
        }
        byte[] value = store.get(key);
        keep(wrapped, new Draft.Change(value));
        return value;
    }

    /** Not from memory. */
    @Override
    public Cursor scan(byte[] from, byte[] to) {
        return store.scan(from, to);
    }

    /** Told of a batch at the latest when the store has it. Until then its keys must not be asked for. */
    void changed(Map<byte[], Draft.Change> changes) {
        changes.forEach((key, change) -> {
            ByteString wrapped = UnsafeByteOperations.unsafeWrap(key);
            if (key[0] == REPLY) {
                // As many as requests, and asked for only when one of those comes again.
                recent.remove(wrapped);
            } else {
                keep(wrapped, change);
            }
        });
    }

    private void keep(ByteString key, Draft.Change change) {
        byte[] value = change.value();
        if (value != null && value.length > VALUE_BYTES_MAX) {
            recent.remove(key);
        } else {
            recent.put(key, change);
        }
    }
}
