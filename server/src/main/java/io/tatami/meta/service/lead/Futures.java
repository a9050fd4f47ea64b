package io.tatami.meta.service.lead;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for futures, on threads that may be held up. */
public final class Futures {
    private Futures() {}

    /** @throws TatamiException the future's failure; CANCELLED, with the interrupt flag set again, on an interrupt */
    public static <T> T result(CompletableFuture<T> future) throws TatamiException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw Causes.of(e).again();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for an answer", e);
        }
    }
}
