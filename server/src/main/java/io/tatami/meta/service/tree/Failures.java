package io.tatami.meta.service.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What went wrong, out of what a future tells of it. */
final class Failures {
    private Failures() {}

    static TatamiException of(Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof TatamiException failure
                ? failure
                : new TatamiException(ErrorCode.INTERNAL, "a step of a change of the tree failed: " + cause, cause);
    }

    static <T> CompletableFuture<T> failed(ErrorCode code, String message) {
        return CompletableFuture.failedFuture(new TatamiException(code, message));
    }
}
