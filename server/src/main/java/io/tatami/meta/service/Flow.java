package io.tatami.meta.service;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;

/**
 * A request that takes several steps: local commits and calls to other groups. Begun on any thread; must not block.
 *
 * <p>A flow for a method that is done once commits its decisive step by {@link Group#submitOnce}. The service sees to
 * the rest: a retry that arrives while the flow runs waits for it, one that arrives later gets the remembered reply,
 * and a failure that is not retryable is remembered too.
 */
@FunctionalInterface
public interface Flow<Q extends Message, R extends Message> {
    CompletableFuture<R> run(RequestOrigin origin, Q request);
}
