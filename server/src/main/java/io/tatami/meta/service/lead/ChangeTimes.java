package io.tatami.meta.service.lead;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How long the changes of a group took in the last 30 to 60 s. They are counted in buckets, eight for each power of
 * two, so a percentile is at most an eighth too large. Takes 3 KB however many there are, and counting allocates
 * nothing. Counted by one thread, asked by any: who asks while changes are counted may miss some of these.
 */
final class ChangeTimes {
    /** Two halves are counted in turn; what is older than the one before is forgotten. */
    private static final long HALF_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int PARTS_BITS = 3;

    /** Of each power of two. */
    private static final int PARTS = 1 << PARTS_BITS;

    /** 18 minutes; what takes longer is counted as this. */
    private static final long NANOS_MAX = (1L << 40) - 1;

    private static final int BUCKETS = bucket(NANOS_MAX) + 1;

    private final Half[] halves = {new Half(), new Half()};

    /** What was counted in one stretch of {@link #HALF_NANOS}. */
    private static final class Half {
        private final AtomicIntegerArray counts = new AtomicIntegerArray(BUCKETS);

        /** Which stretch, by the time that has passed; written when the counts before are gone. */
        private volatile long number = Long.MIN_VALUE;

        void begin(long next) {
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                counts.setPlain(bucket, 0);
            }
            number = next;
        }
    }

    /**
     * Counts a change.
     *
     * @param nowNanos of a clock that never falls
     */
    void add(long nowNanos, long tookNanos) {
        long number = Math.floorDiv(nowNanos, HALF_NANOS);
        Half half = halves[(int) (number & 1)];
        if (half.number != number) {
            half.begin(number);
        }
        int bucket = bucket(Math.min(NANOS_MAX, Math.max(0, tookNanos)));
        half.counts.lazySet(bucket, half.counts.getPlain(bucket) + 1);
    }

    /**
     * The 99th percentile in microseconds: so many that 99 of 100 changes took no longer. 0 where nothing was changed,
     * else at least 1.
     *
     * @param nowNanos as for {@link #add}
     */
    long microsP99(long nowNanos) {
        long oldest = Math.floorDiv(nowNanos, HALF_NANOS) - 1;
        long[] counts = new long[BUCKETS];
        long all = 0;
        for (Half half : halves) {
            boolean isRecent = half.number >= oldest;
            for (int bucket = 0; isRecent && bucket < BUCKETS; bucket++) {
                int count = half.counts.get(bucket);
                counts[bucket] += count;
                all += count;
            }
        }
        long within = all - all / 100;
        int bucket = 0;
        for (long seen = counts[0]; seen < within; seen += counts[bucket]) {
            bucket++;
        }
        return all == 0 ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMicros(longest(bucket)));
    }

    private static int bucket(long nanos) {
        if (nanos < PARTS) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - PARTS_BITS;
        return (shift << PARTS_BITS) + (int) (nanos >>> shift);
    }

    /** Nanoseconds of the longest that is counted there. */
    private static long longest(int bucket) {
        if (bucket < PARTS) {
            return bucket;
        }
        int shift = (bucket >>> PARTS_BITS) - 1;
        int part = bucket - (shift << PARTS_BITS);
        return ((part + 1L) << shift) - 1;
    }
}
