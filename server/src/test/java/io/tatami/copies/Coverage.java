package io.tatami.copies;

import java.util.Map;

/** What came about in simulations, counted, so that none of it goes missing unnoticed. */
record Coverage(Map<String, Long> counts) {
    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }
}
