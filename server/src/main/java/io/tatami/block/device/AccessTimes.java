package io.tatami.block.device;

import io.tatami.base.Clock;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a device takes for its accesses, from when it is given one until that has ended; the wait for a thread
 * before is not in it. Of each measure the last accesses of the last minutes count, and their median is typical. Of
 * flushes it is only told how long they are under way: how long one takes says what was written before it. Safe for use
 * by many threads.
 */
public final class AccessTimes {
    /** From how many bytes on an access is large, and its time is scaled to that of a unit of 4 MiB. */
    static final int LARGE_BYTES_MIN = 1 << 20;

    static final int SAMPLES_MIN = 16;
    private static final int SAMPLES_MAX = 64;
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** A read or write that takes so long is not one of a slow disk. */
    public static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** So long is no flush of a disk that empties its cache, a few hundred megabytes in places far apart. */
    public static final long FLUSH_HANG_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** A device at work ends an access within this, or within a few times what is typical of it. */
    public static final long AT_WORK_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final int AT_WORK_FACTOR = 4;

    private final Clock clock;
    private final Map<Measure, Samples> samples = new EnumMap<>(Measure.class);
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private volatile long lastEndNanos;

    /** What is compared with what: seeks rule small accesses, and bytes rule large ones. */
    public enum Measure {
        SMALL_READ("small reads"),
        LARGE_READ("reads of 4 MiB"),
        SMALL_WRITE("small writes"),
        LARGE_WRITE("writes of 4 MiB");

        private final String text;

        Measure(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }

        static Measure ofRead(int bytes) {
            return bytes < LARGE_BYTES_MIN ? SMALL_READ : LARGE_READ;
        }

        static Measure ofWrite(int bytes) {
            return bytes < LARGE_BYTES_MIN ? SMALL_WRITE : LARGE_WRITE;
        }

        private boolean isLarge() {
            return this == LARGE_READ || this == LARGE_WRITE;
        }
    }

    AccessTimes(Clock clock) {
        this.clock = clock;
        this.lastEndNanos = clock.monotonicNanos();
        for (Measure measure : Measure.values()) {
            samples.put(measure, new Samples());
        }
    }

    /** The typical time of each measure of which enough accesses were seen lately, in nanoseconds. */
    public Map<Measure, Long> typicalNanos() {
        Map<Measure, Long> typical = new EnumMap<>(Measure.class);
        long since = clock.monotonicNanos() - WINDOW_NANOS;
        samples.forEach((measure, seen) -> {
            long median = seen.medianNanosSince(since);
            if (median >= 0) {
                typical.put(measure, median);
            }
        });
        return typical;
    }

    /** For how long the oldest access or flush has been under way that has not ended; 0 where none is. */
    public long longestUnderWayNanos() {
        long now = clock.monotonicNanos();
        return running.stream()
                .mapToLong(access -> now - access.startNanos)
                .max()
                .orElse(0);
    }

    /** Whether a read or write, or a flush, has been under way for longer than a device takes that works. */
    public boolean isHanging() {
        long now = clock.monotonicNanos();
        return running.stream().anyMatch(access -> now - access.startNanos >= access.hangNanos);
    }

    /**
     * Whether an access has ended lately, and no read or write that is under way takes much longer than is typical:
     * what is queued for the device gets its turn.
     */
    public boolean isAtWork() {
        long now = clock.monotonicNanos();
        long typical = typicalNanos().values().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
        long limitNanos = Math.min(HANG_NANOS, Math.max(AT_WORK_NANOS, AT_WORK_FACTOR * typical));
        return now - lastEndNanos < limitNanos
                && running.stream()
                        .noneMatch(access -> access.measure != null && now - access.startNanos >= limitNanos);
    }

    /** Whether no access and no flush is under way; where one is, looks again after {@code limitMillis}. */
    public boolean awaitIdle(long limitMillis) throws InterruptedException {
        if (!running.isEmpty()) {
            Thread.sleep(limitMillis);
        }
        return running.isEmpty();
    }

    /** An access of {@code bytes} bytes begins; whoever says so calls {@link Running#end} when it has ended. */
    Running begin(Measure measure, int bytes) {
        return begun(new Running(measure, bytes, HANG_NANOS));
    }

    /** A flush begins, as {@link #begin}. */
    Running beginFlush() {
        return begun(new Running(null, 0, FLUSH_HANG_NANOS));
    }

    private Running begun(Running access) {
        running.add(access);
        return access;
    }

    /** One access or flush under way. */
    final class Running {
        private final @Nullable Measure measure;
        private final int bytes;
        private final long hangNanos;
        private final long startNanos = clock.monotonicNanos();

        /** @param measure null for one that is not measured */
        private Running(@Nullable Measure measure, int bytes, long hangNanos) {
            this.measure = measure;
            this.bytes = bytes;
            this.hangNanos = hangNanos;
        }

        /** @param well one that failed says nothing of how fast the device is */
        void end(boolean well) {
            running.remove(this);
            if (!well) {
                return;
            }
            long now = clock.monotonicNanos();
            lastEndNanos = now;
            if (measure != null && bytes > 0) {
                long nanos = now - startNanos;
                Objects.requireNonNull(samples.get(measure))
                        .add(measure.isLarge() ? (long) ((double) nanos * Device.UNIT_BYTES / bytes) : nanos, now);
            }
        }
    }

    /** The last times of one measure. */
    private static final class Samples {
        private final long[] nanos = new long[SAMPLES_MAX];
        private final long[] endedNanos = new long[SAMPLES_MAX];
        private long count;

        synchronized void add(long took, long ended) {
            int at = (int) (count++ % SAMPLES_MAX);
            nanos[at] = took;
            endedNanos[at] = ended;
        }

        /** -1 where there are too few. */
        synchronized long medianNanosSince(long sinceNanos) {
            long[] lately = new long[SAMPLES_MAX];
            int found = 0;
            for (int at = 0; at < Math.min(count, SAMPLES_MAX); at++) {
                if (endedNanos[at] - sinceNanos >= 0) {
                    lately[found++] = nanos[at];
                }
            }
            if (found < SAMPLES_MIN) {
                return -1;
            }
            Arrays.sort(lately, 0, found);
            return lately[found / 2];
        }
    }
}
