package io.tatami.benchmarks.harness.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long each of some operations took. Owned by one thread. */
public final class Latencies {
    private final List<Long> nanos = new ArrayList<>();

    public void add(long operationNanos) {
        nanos.add(operationNanos);
    }

    /** Takes another's over. */
    public void addAll(Latencies other) {
        nanos.addAll(other.nanos);
    }

    public int count() {
        return nanos.size();
    }

    /**
     * That many operations of a hundred took no longer, by the nearest rank; there must be some.
     *
     * @param percent 0 to 100
     */
    public double millis(double percent) {
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * sorted.size());
        return sorted.get(Math.max(1, rank) - 1) / 1e6;
    }
}
