package io.tatami.server.metrics;

import io.tatami.base.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is asked for again only when it is a second old, so that the many metrics of a scrape are of one
 * moment, and cost one question. Safe for use by many threads.
 */
final class RecentAnswer<T> implements Supplier<T> {
    private static final long AGE_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<T> question;
    private final Clock clock;
    private @Nullable T answer;
    private long askedNanos;

    RecentAnswer(Supplier<T> question, Clock clock) {
        this.question = question;
        this.clock = clock;
    }

    @Override
    public synchronized T get() {
        T known = answer;
        long nowNanos = clock.monotonicNanos();
        if (known == null || nowNanos - askedNanos >= AGE_NANOS_MAX) {
            known = question.get();
            answer = known;
            askedNanos = nowNanos;
        }
        return known;
    }
}
