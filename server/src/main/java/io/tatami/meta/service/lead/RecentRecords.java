package io.tatami.meta.service.lead;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Layer;
import io.tatami.meta.state.View;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records as the thread that decides on them sees them, with those that were read or changed last kept at hand, also
 * that a key has none: a request is decided on records that those before it left, and asking the store for each costs
 * more than deciding. Long values are not kept, so that the number of records bounds the memory. Owned by one thread.
 *
 * <p>Two maps take turns: what is used goes into the younger one, and when that is full the older one is dropped. What
 * was used within the last {@link #HALF_MAX} other records is at hand.
 */
public final class RecentRecords implements Layer {
    private static final int HALF_MAX = 4_096;
    private static final int VALUE_BYTES_MAX = 1_024;

    private Map<ByteString, Draft.Change> young = new HashMap<>();
    private Map<ByteString, Draft.Change> old = new HashMap<>();

    /** Walks see only what is below. Each change below must be told by {@link #changed}. */
    @Override
    public View over(View below) {
        return Layer.lookups(below, key -> get(key, below));
    }

    private byte @Nullable [] get(byte[] key, View from) {
        if (Keys.isOfReplies(key) || Keys.isVolatile(key)) {
            return from.get(key);
        }
        ByteString wrapped = UnsafeByteOperations.unsafeWrap(key);
        Draft.Change known = young.get(wrapped);
        if (known != null) {
            return known.value();
        }
        known = old.get(wrapped);
        if (known == null) {
            known = new Draft.Change(from.get(key));
        }
        keep(wrapped, known);
        return known.value();
    }

    /** Told of what is laid over the view below, or of what will be before anything else is asked. */
    void changed(Map<byte[], Draft.Change> changes) {
        changes.forEach((key, change) -> {
            // Replies have a memory of their own.
            if (!Keys.isOfReplies(key)) {
                keep(UnsafeByteOperations.unsafeWrap(key), change);
            }
        });
    }

    private void keep(ByteString key, Draft.Change change) {
        byte[] value = change.value();
        if (value != null && value.length > VALUE_BYTES_MAX) {
            young.remove(key);
            old.remove(key);
            return;
        }
        if (young.size() >= HALF_MAX) {
            Map<ByteString, Draft.Change> dropped = old;
            old = young;
            young = dropped;
            young.clear();
        }
        young.put(key, change);
    }
}
