package io.tatami.meta.service.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;

/** Futures of what cannot be done. */
public final class Failures {
    private Failures() {}

    public static <T> CompletableFuture<T> failed(ErrorCode code, String message) {
        return CompletableFuture.failedFuture(new TatamiException(code, message));
    }
}
