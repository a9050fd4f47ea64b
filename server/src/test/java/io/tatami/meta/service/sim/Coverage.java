package io.tatami.meta.service.sim;

import java.util.Map;
import java.util.TreeMap;

/** What came about in the seeds that were run, by name. */
final class Coverage {
    private final Map<String, Long> counts;

    /** @param counts is added to */
    Coverage(Map<String, Long> counts) {
        this.counts = counts;
    }

    Coverage() {
        this(new TreeMap<>());
    }

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    Map<String, Long> counts() {
        return counts;
    }
}
