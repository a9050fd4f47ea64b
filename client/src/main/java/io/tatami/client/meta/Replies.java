package io.tatami.client.meta;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for futures of the transport on threads that may block. */
final class Replies {
    /** The transport tells of a timeout itself; only where it fails to, the wait ends so much later. */
    private static final long GRACE_MILLIS = 1_000;

    private Replies() {}

    /**
     * The future's value.
     *
     * @throws TatamiException as the future failed, with the waiting thread's stack; DEADLINE_EXCEEDED; CANCELLED on an
     *     interrupt, with the flag set again; the future goes on then
     */
    static <T> T await(CompletableFuture<T> future, Deadline deadline) throws TatamiException {
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(deadline.remainingMillis() + GRACE_MILLIS);
            return deadline.clock().get(future, nanos);
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (TimeoutException e) {
            future.cancel(true);
            throw new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "no reply within the time limit", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for a reply", e);
        }
    }

    private static TatamiException failure(Throwable thrown) {
        Throwable cause = Causes.unwrapped(thrown);
        if (cause instanceof TatamiException failure) {
            return failure.again();
        }
        throw new IllegalStateException("a call failed with what is no failure of the world", cause);
    }
}
