package io.tatami.rpc;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Waits for futures in tests, with a limit that only a hang reaches. */
public final class Futures {
    private static final long HANG_SECONDS = 30;

    private Futures() {}

    public static <T> T result(CompletableFuture<T> future) throws Exception {
        return future.get(HANG_SECONDS, TimeUnit.SECONDS);
    }

    public static TatamiException failure(CompletableFuture<?> future) {
        ExecutionException failure =
                assertThrows(ExecutionException.class, () -> future.get(HANG_SECONDS, TimeUnit.SECONDS));
        return assertInstanceOf(TatamiException.class, failure.getCause());
    }
}
