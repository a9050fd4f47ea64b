package io.tatami.meta.service.sim;

import java.util.Map;

/** What came about in the seeds that were run, by name. */
final class Coverage {
    private final Map<String, Long> counts;

    /** @param counts is added to */
    Coverage(Map<String, Long> counts) {
        this.counts = counts;
    }

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }
}
