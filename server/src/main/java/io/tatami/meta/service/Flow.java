package io.tatami.meta.service;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;

/**
 * A request that takes several steps: local commits and calls to other groups. It begins on any thread and must not
 * block. It holds no lock across a call, and each of its steps can be found and ended after a crash.
 *
 * <p>A flow for a method that is executed once commits its decisive step by {@link Group#submitOnce}. The service
 * handles retries: a retry that arrives while the flow runs waits for it, a later one gets the remembered reply. A
 * failure that is not retryable is remembered too.
 */
@FunctionalInterface
public interface Flow<Q extends Message, R extends Message> {
    CompletableFuture<R> run(RequestOrigin origin, Q request);
}
