package io.tatami.meta.service.tree;

import io.tatami.meta.op.tree.PlanOutdatedException;
import io.tatami.meta.op.tree.wire.Place;
import io.tatami.rpc.RequestScope;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Subtrees that are being judged, directory by directory, before they are deleted. What was found of the first of them
 * must still hold after the last: meanwhile no directory is put into such a subtree and no permission in it is changed.
 * Its files are seen to by the gates of the shards. Lost with the leader, and so are the judgements. Safe for use by
 * many threads, which hold its lock only briefly.
 */
public final class JudgedSubtrees {
    /** The roots of those that are judged now, each by the future of its end. */
    private final Map<CompletableFuture<Void>, Long> judgements = new HashMap<>();

    private final Set<CompletableFuture<Void>> changes = new HashSet<>();

    /** Runs {@code body} once all changes before it are through; others wait until its future completes. */
    public <R> CompletableFuture<R> judging(long directory, Supplier<CompletableFuture<R>> body) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        return begin(directory, over)
                .thenCompose(calm -> body.get())
                .whenComplete((result, failure) -> end(judgements.keySet(), over));
    }

    /**
     * Runs {@code body}, which waits for no name and no judgement. Fails with {@link PlanOutdatedException} where the
     * place is in a subtree that is judged: after {@link #over}, and with a new plan, it may be tried again.
     */
    <R> CompletableFuture<R> changing(Place place, String path, Supplier<CompletableFuture<R>> body) {
        CompletableFuture<Void> through = new CompletableFuture<>();
        synchronized (this) {
            if (judgementOf(place) != null) {
                return CompletableFuture.failedFuture(new PlanOutdatedException(path));
            }
            changes.add(through);
        }
        return CompletableFuture.completedFuture(null)
                .thenCompose(begun -> body.get())
                .whenComplete((result, failure) -> end(changes, through));
    }

    /** Completes when a subtree that the place is in has been judged. Waited for with no name held. */
    synchronized CompletableFuture<Void> over(Place place) {
        CompletableFuture<Void> judgement = judgementOf(place);
        return judgement == null ? CompletableFuture.completedFuture(null) : RequestScope.carried(judgement);
    }

    private synchronized CompletableFuture<Void> begin(long directory, CompletableFuture<Void> over) {
        judgements.put(over, directory);
        return RequestScope.carried(CompletableFuture.allOf(changes.toArray(CompletableFuture<?>[]::new)));
    }

    private void end(Set<CompletableFuture<Void>> of, CompletableFuture<Void> ended) {
        synchronized (this) {
            of.remove(ended);
        }
        ended.complete(null);
    }

    private @Nullable CompletableFuture<Void> judgementOf(Place place) {
        for (Map.Entry<CompletableFuture<Void>, Long> judgement : judgements.entrySet()) {
            List<Long> above = place.getAboveIdList();
            if (judgement.getValue() == place.getDirectoryId() || above.contains(judgement.getValue())) {
                return judgement.getKey();
            }
        }
        return null;
    }
}
