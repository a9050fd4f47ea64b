package io.tatami.base;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The same call of several that may hang, made at once, each on a thread of its own, with one bound for all of them.
 */
public final class SideBySide {
    /** Beyond, calls wait for the first to end; the bound counts for them too. */
    private static final int THREADS_MAX = 64;

    private SideBySide() {}

    /** A call that waits, and ends soon after its thread was interrupted. */
    @FunctionalInterface
    public interface Call<T, R> {
        R of(T target) throws TatamiException;
    }

    /** What came of one call: a value, or why there is none. */
    public record Answer<T, R>(
            T target, @Nullable R value, @Nullable TatamiException failure) {}

    /**
     * Calls all and waits for them, for {@code bound} at most; what has not ended then is interrupted.
     *
     * @return the answers in the order of {@code targets}; DEADLINE_EXCEEDED of calls that did not end in time
     * @throws TatamiException CANCELLED, with the flag set again, where this thread is interrupted while it waits
     */
    public static <T, R> List<Answer<T, R>> ask(Collection<T> targets, Duration bound, Call<T, R> call)
            throws TatamiException {
        if (targets.isEmpty()) {
            return List.of();
        }
        List<Callable<Answer<T, R>>> calls = new ArrayList<>();
        for (T target : targets) {
            calls.add(() -> answer(target, call));
        }
        ExecutorService threads =
                Executors.newFixedThreadPool(Math.min(targets.size(), THREADS_MAX), Threads.daemons("side-by-side"));
        try {
            List<Answer<T, R>> answers = new ArrayList<>();
            Iterator<T> target = targets.iterator();
            for (Future<Answer<T, R>> end : threads.invokeAll(calls, bound.toNanos(), TimeUnit.NANOSECONDS)) {
                answers.add(answer(target.next(), end, bound));
            }
            return answers;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for several calls", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static <T, R> Answer<T, R> answer(T target, Call<T, R> call) {
        try {
            return new Answer<>(target, call.of(target), null);
        } catch (TatamiException e) {
            return new Answer<>(target, null, e);
        }
    }

    private static <T, R> Answer<T, R> answer(T target, Future<Answer<T, R>> end, Duration bound)
            throws InterruptedException {
        try {
            return end.get();
        } catch (CancellationException e) {
            String message = "no answer within " + bound.toMillis() + " ms";
            return new Answer<>(target, null, new TatamiException(ErrorCode.DEADLINE_EXCEEDED, message, e));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a call failed with what is no failure of the world", e.getCause());
        }
    }
}
