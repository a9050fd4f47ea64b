package io.tatami.meta.service;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import java.util.concurrent.CompletableFuture;

/**
 * A read of what is kept apart from the permissions that protect it. Mostly the caller shows a proof of them and is
 * answered at once; where that is missing or too old the groups are asked that keep the permissions.
 *
 * @param proven refuses with STALE_HANDLE whoever shows no proof that holds
 * @param allowed demands no proof
 */
public record CheckedRead<S, Q extends Message, R extends Message>(
        Group<S> group, Operation<S, Q, R> proven, Operation<S, Q, R> allowed, Check<Q> check) implements Flow<Q, R> {
    /** Asks other groups; fails where the caller may not. */
    @FunctionalInterface
    public interface Check<Q> {
        CompletableFuture<?> check(RequestOrigin origin, Q request);
    }

    @Override
    public CompletableFuture<R> run(RequestOrigin origin, Q request) {
        return group.read(proven, origin, request)
                .exceptionallyCompose(thrown -> isUnproven(thrown)
                        ? check.check(origin, request).thenCompose(done -> group.read(allowed, origin, request))
                        : CompletableFuture.failedFuture(thrown));
    }

    private static boolean isUnproven(Throwable thrown) {
        return Causes.unwrapped(thrown) instanceof TatamiException refused && refused.code() == ErrorCode.STALE_HANDLE;
    }
}
