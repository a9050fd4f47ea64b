package io.tatami.cluster;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * How many events there were in the last two seconds, give or take a quarter of one. Takes the same memory however many
 * there were. Not safe for use by many threads.
 */
public final class RecentCount {
    public static final long SPAN_MILLIS = 2_000;

    private static final int PARTS = 8;
    private static final long PART_NANOS = TimeUnit.MILLISECONDS.toNanos(SPAN_MILLIS) / PARTS;

    /** Of the part of time under way, and the {@link #PARTS} before it; a ring. */
    private final int[] counts = new int[PARTS + 1];

    private long newestPart = Long.MIN_VALUE;

    /** @param nowNanos of a clock that never falls */
    public void add(long nowNanos) {
        advance(nowNanos);
        counts[slot(newestPart)]++;
    }

    /** @param nowNanos as for {@link #add} */
    public int total(long nowNanos) {
        advance(nowNanos);
        return Arrays.stream(counts).sum();
    }

    private void advance(long nowNanos) {
        long part = Math.floorDiv(nowNanos, PART_NANOS);
        if (newestPart == Long.MIN_VALUE || part - newestPart > PARTS) {
            Arrays.fill(counts, 0);
            newestPart = part;
        }
        while (newestPart < part) {
            newestPart++;
            counts[slot(newestPart)] = 0;
        }
    }

    private int slot(long part) {
        return (int) Math.floorMod(part, (long) counts.length);
    }
}
