package io.tatami.server.metrics;

import io.tatami.base.Clock;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is asked for again only when it has come to an age, so that the many metrics of a scrape are of one
 * moment, and cost one question, however long that takes. Safe for use by many threads.
 */
final class RecentAnswer<T> implements Supplier<T> {
    private final Supplier<T> question;
    private final long ageNanosMax;
    private final Clock clock;
    private @Nullable T answer;
    private long answeredNanos;

    RecentAnswer(Supplier<T> question, Duration ageMax, Clock clock) {
        this.question = question;
        this.ageNanosMax = ageMax.toNanos();
        this.clock = clock;
    }

    @Override
    public synchronized T get() {
        T known = answer;
        if (known == null || clock.monotonicNanos() - answeredNanos >= ageNanosMax) {
            known = question.get();
            answer = known;
            answeredNanos = clock.monotonicNanos();
        }
        return known;
    }
}
