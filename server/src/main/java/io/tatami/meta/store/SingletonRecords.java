package io.tatami.meta.store;

import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Layer;
import io.tatami.meta.state.View;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest values of those records of which a group has one each, kept in memory: nearly every request looks at two
 * of them, and seldom is one changed. They are few: as many as there are counters, groups and block servers. Safe for
 * use by many threads.
 *
 * <p>A change is told here always, also of a record that nobody has asked for; so what a reader found in the database
 * meanwhile, and comes with afterwards, does not take its place.
 */
final class SingletonRecords implements Layer {
    private final byte[] without;
    /** Empty for a record that is not there. */
    private final Map<ByteBuffer, Optional<byte[]>> values = new ConcurrentHashMap<>();

    /** @param without the key of one that is changed in the database without being told here */
    SingletonRecords(byte[] without) {
        this.without = without;
    }

    /** Walks see only what is below, which has these records too. */
    @Override
    public View over(View below) {
        return Layer.lookups(below, key -> keeps(key) ? known(key, below) : below.get(key));
    }

    private boolean keeps(byte[] key) {
        return Keys.isSingleton(key) && !Arrays.equals(key, without);
    }

    private byte @Nullable [] known(byte[] key, View below) {
        ByteBuffer name = ByteBuffer.wrap(key);
        Optional<byte[]> known = values.get(name);
        if (known == null) {
            Optional<byte[]> found = Optional.ofNullable(below.get(key));
            Optional<byte[]> newer = values.putIfAbsent(name, found);
            known = newer == null ? found : newer;
        }
        return known.orElse(null);
    }

    void changed(Map<byte[], Draft.Change> changes) {
        changes.forEach((key, change) -> {
            if (keeps(key)) {
                values.put(ByteBuffer.wrap(key), Optional.ofNullable(change.value()));
            }
        });
    }
}
