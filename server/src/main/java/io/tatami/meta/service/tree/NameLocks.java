package io.tatami.meta.service.tree;

import io.tatami.meta.op.tree.wire.Place;
import io.tatami.rpc.RequestScope;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Names of directories, each changed by one flow at a time. A flow takes all its names at once and in the order of
 * coming, so flows never wait for each other in a circle. Only this leader uses them: what a commit decides does not
 * hang on them. Safe for use by many threads.
 */
public final class NameLocks {
    private final Map<Name, CompletableFuture<Void>> lastHolders = new HashMap<>();

    private record Name(long parent, String name) {}

    /**
     * Runs {@code body} once all before it on any of the names are through, and lets the next go on when its future
     * completes.
     *
     * @param body is told whether it had to wait, so that what was read before may have changed
     */
    public <R> CompletableFuture<R> holding(List<Place> places, Function<Boolean, CompletableFuture<R>> body) {
        return holding(places, body, result -> CompletableFuture.completedFuture(null));
    }

    /**
     * As {@link #holding(List, Function)}, and completes with what {@code body} completes with; but where that
     * succeeded the names are held until {@code rest} is through, too.
     *
     * @param rest work on the names that remains after the body; the answer does not wait for it
     */
    public <R> CompletableFuture<R> holding(
            List<Place> places,
            Function<Boolean, CompletableFuture<R>> body,
            Function<R, CompletableFuture<Void>> rest) {
        Set<Name> names = new LinkedHashSet<>();
        places.forEach(place -> names.add(new Name(place.getParentId(), place.getName())));
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> before = enqueue(names, mine);
        boolean waits = !before.isDone();
        CompletableFuture<R> answer = new CompletableFuture<>();
        CompletableFuture<R> done = RequestScope.carried(before).thenCompose(ready -> body.apply(waits));
        CompletableFuture<Void> unused = done.thenCompose(result -> {
                    CompletableFuture<Void> begun = rest.apply(result);
                    answer.complete(result);
                    return begun;
                })
                .whenComplete((rested, failure) -> {
                    release(names, mine);
                    mine.complete(null);
                    // Not earlier: a new attempt takes the names again. Without effect after an answer.
                    if (failure != null) {
                        answer.completeExceptionally(failure);
                    }
                });
        return answer;
    }

    /** Completes when whoever holds the name now is through. */
    public synchronized CompletableFuture<Void> whenFree(long parent, String name) {
        return RequestScope.carried(
                lastHolders.getOrDefault(new Name(parent, name), CompletableFuture.completedFuture(null)));
    }

    private synchronized CompletableFuture<Void> enqueue(Set<Name> names, CompletableFuture<Void> mine) {
        CompletableFuture<Void> before = CompletableFuture.completedFuture(null);
        for (Name name : names) {
            CompletableFuture<Void> last = lastHolders.put(name, mine);
            if (last != null) {
                before = before.thenCombine(last, (left, right) -> null);
            }
        }
        return before;
    }

    private synchronized void release(Set<Name> names, CompletableFuture<Void> mine) {
        names.forEach(name -> lastHolders.remove(name, mine));
    }
}
