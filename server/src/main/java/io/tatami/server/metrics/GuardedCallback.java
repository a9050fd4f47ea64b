package io.tatami.server.metrics;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a part for a metric at a scrape. A part that fails is logged once, and has no value: the page of all others must
 * not fail with it.
 */
final class GuardedCallback<C> implements Consumer<C> {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedCallback.class);

    private final String metric;
    private final Consumer<C> question;
    private final AtomicBoolean isTold = new AtomicBoolean();

    GuardedCallback(String metric, Consumer<C> question) {
        this.metric = metric;
        this.question = question;
    }

    @Override
    public void accept(C callback) {
        try {
            question.accept(callback);
        } catch (RuntimeException e) {
            if (isTold.compareAndSet(false, true)) {
                LOG.error("{} has no value", metric, e);
            }
        }
    }
}
