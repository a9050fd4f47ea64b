package io.tatami.client.entry;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many names the tree has given to directories, as far as the client has heard. A directory whose name is one of
 * those had it before whatever is asked next. Safe for use by many threads.
 */
final class KnownLinks {
    private final AtomicLong known = new AtomicLong();

    /** @param links as a reply of the tree tells */
    void heardOf(long links) {
        known.accumulateAndGet(links, Math::max);
    }

    long count() {
        return known.get();
    }
}
