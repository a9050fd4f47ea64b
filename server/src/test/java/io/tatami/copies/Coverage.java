package io.tatami.copies;

import java.util.Map;

/** What came about in simulations, counted, so that none of it goes missing unnoticed. */
record Coverage(Map<String, Long> counts) {
    void count(String what) {
        count(what, 1);
    }

    void count(String what, long times) {
        counts.merge(what, times, Long::sum);
    }
}
