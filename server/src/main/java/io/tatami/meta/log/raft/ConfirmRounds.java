package io.tatami.meta.log.raft;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of asking the majority who leads, one at a time: who comes while one is under way shares the next, because
 * that one may have begun before he came. Safe for use by any thread.
 */
final class ConfirmRounds {
    private final Supplier<? extends CompletableFuture<?>> ask;
    private @Nullable CompletableFuture<Void> running;
    private @Nullable CompletableFuture<Void> next;

    /** @param ask completes when the majority has answered */
    ConfirmRounds(Supplier<? extends CompletableFuture<?>> ask) {
        this.ask = ask;
    }

    /** Completes with the first round that begins after this call. */
    CompletableFuture<Void> join() {
        CompletableFuture<Void> mine;
        synchronized (this) {
            if (running != null) {
                if (next == null) {
                    next = new CompletableFuture<>();
                }
                return next.copy();
            }
            mine = new CompletableFuture<>();
            running = mine;
        }
        begin(mine);
        return mine.copy();
    }

    private void begin(CompletableFuture<Void> round) {
        CompletableFuture<?> asked = ask.get().whenComplete((answer, thrown) -> {
            CompletableFuture<Void> following = end();
            if (following != null) {
                begin(following);
            }
            boolean isFirst = thrown == null ? round.complete(null) : round.completeExceptionally(thrown);
            assert isFirst;
        });
        if (asked.isCancelled()) {
            boolean unused = round.completeExceptionally(
                    new TatamiException(ErrorCode.CANCELLED, "the confirmation of the leader was cancelled"));
        }
    }

    private synchronized @Nullable CompletableFuture<Void> end() {
        running = next;
        next = null;
        return running;
    }
}
