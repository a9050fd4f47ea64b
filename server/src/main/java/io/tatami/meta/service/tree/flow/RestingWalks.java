package io.tatami.meta.service.tree.flow;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.state.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Walks through subtrees too large for one request, while they wait for the request by which they go on. In memory
 * only, so many at most, and forgotten when nobody has come for a minute, which is longer than a client waits for a
 * reply before it sends the request again. Safe for use by many threads.
 */
public final class RestingWalks<W> implements BackgroundTask {
    public static final Duration REST_MAX = Duration.ofMinutes(1);
    private static final Duration ROUND = Duration.ofSeconds(10);
    private static final int RESTING_MAX = 256;

    private final Clock clock;
    private final Consumer<W> forgotten;

    /** The one that rests for longest first. Guarded by this object's lock. */
    private final Map<Key, Resting<W>> resting = new LinkedHashMap<>();

    /** @param forgotten told of each walk that nobody gets any more */
    RestingWalks(Clock clock, Consumer<W> forgotten) {
        this.clock = clock;
        this.forgotten = forgotten;
    }

    /** @param request by which the walk goes on; the same user sends it for no other */
    record Key(Caller caller, Message request) {}

    private record Resting<W>(W walk, long sinceNanos) {}

    /** From now on another thread may take it. */
    void rest(Key key, W walk) {
        List<W> old;
        synchronized (this) {
            old = removeOld(RESTING_MAX - 1);
            resting.put(key, new Resting<>(walk, clock.monotonicNanos()));
        }
        old.forEach(forgotten);
    }

    /** Null where none rests under this key; else the walk is the caller's alone until it rests again. */
    synchronized @Nullable W take(Key key) {
        Resting<W> found = resting.remove(key);
        return found == null ? null : found.walk();
    }

    /** Forgets what nobody came for. */
    @Override
    public CompletableFuture<Duration> run() {
        List<W> old;
        synchronized (this) {
            old = removeOld(RESTING_MAX);
        }
        old.forEach(forgotten);
        return CompletableFuture.completedFuture(ROUND);
    }

    private List<W> removeOld(int left) {
        long now = clock.monotonicNanos();
        List<W> old = new ArrayList<>();
        Iterator<Resting<W>> oldest = resting.values().iterator();
        while (oldest.hasNext()) {
            Resting<W> next = oldest.next();
            if (resting.size() <= left && now - next.sinceNanos() < REST_MAX.toNanos()) {
                break;
            }
            oldest.remove();
            old.add(next.walk());
        }
        return old;
    }
}
