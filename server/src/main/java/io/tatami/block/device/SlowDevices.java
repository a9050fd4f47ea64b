package io.tatami.block.device;

import io.tatami.block.device.AccessTimes.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tells which of several devices is much slower than its peers, or hangs. A device is compared with the median of those
 * of the others that were accessed in the same way, and with what is typical elsewhere. It is slow once it has been
 * eight times slower at three looks in a row, and no longer once it has been less than four times slower at as many;
 * what takes less than a millisecond is not slow, and what cannot be compared changes nothing. Used by one thread.
 */
public final class SlowDevices {
    /** Above what the load of a device and its share of threads make of equal devices. */
    static final double BEGIN_FACTOR = 8;

    static final double END_FACTOR = 4;
    static final int LOOKS = 3;
    static final long SLOW_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(1);
    static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final List<State> states = new ArrayList<>();

    /** What was measured of one device, see {@link AccessTimes}. */
    public record Observation(Map<Measure, Long> typicalNanos, long longestUnderWayNanos) {
        public static Observation of(AccessTimes times) {
            return new Observation(times.typicalNanos(), times.longestUnderWayNanos());
        }
    }

    /** How a device compares with its peers in what it is slowest at. */
    public record Comparison(Measure measure, double factor, long nanos, long peersNanos) {
        public boolean isSlow() {
            return isSlower(BEGIN_FACTOR);
        }

        boolean isSlower(double times) {
            return factor >= times && nanos >= SLOW_NANOS_MIN;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s take %.1f times as long as those of its peers (%.1f ms, %.1f ms)",
                    measure,
                    factor,
                    nanos / 1e6,
                    peersNanos / 1e6);
        }
    }

    private static final class State {
        private String verdict = "";
        private int looks;
    }

    /**
     * Looks once more.
     *
     * @param devices the same ones in the same order at each call
     * @param typicalNanos of many devices, these among them; those measures that are known
     * @return for each why it is slow now; empty where it is not
     */
    public List<String> look(List<Observation> devices, Map<Measure, Long> typicalNanos) {
        List<String> verdicts = new ArrayList<>();
        for (int device = 0; device < devices.size(); device++) {
            if (states.size() == device) {
                states.add(new State());
            }
            verdicts.add(judge(states.get(device), devices.get(device), compare(devices, device, typicalNanos)));
        }
        return verdicts;
    }

    private static String judge(State state, Observation device, @Nullable Comparison now) {
        long underWayNanos = device.longestUnderWayNanos();
        if (underWayNanos >= HANG_NANOS) {
            return "it hangs: an access or flush has been under way for "
                    + TimeUnit.NANOSECONDS.toSeconds(underWayNanos) + " s";
        }
        if (now == null) {
            return state.verdict;
        }
        boolean isSlow = !state.verdict.isEmpty();
        boolean speaksForChange = isSlow ? !now.isSlower(END_FACTOR) : now.isSlow();
        state.looks = speaksForChange ? state.looks + 1 : 0;
        if (state.looks == LOOKS) {
            state.looks = 0;
            isSlow = !isSlow;
        }
        if (!isSlow) {
            state.verdict = "";
        } else if (state.verdict.isEmpty() || now.isSlow()) {
            state.verdict = now.toString();
        }
        return state.verdict;
    }

    /** How a device compares with the others at this moment; null where nothing of it can be compared. */
    public static @Nullable Comparison compare(List<Observation> devices, int device) {
        return compare(devices, device, Map.of());
    }

    private static @Nullable Comparison compare(
            List<Observation> devices, int device, Map<Measure, Long> typicalNanos) {
        Comparison worst = null;
        for (Map.Entry<Measure, Long> own : devices.get(device).typicalNanos().entrySet()) {
            long[] peers = peers(devices, device, own.getKey());
            long ofPeers = peers.length == 0 ? Long.MAX_VALUE : peers[(peers.length - 1) / 2];
            long typical = Math.max(1, Math.min(ofPeers, typicalNanos.getOrDefault(own.getKey(), Long.MAX_VALUE)));
            double factor = (double) own.getValue() / typical;
            if (typical < Long.MAX_VALUE && (worst == null || factor > worst.factor())) {
                worst = new Comparison(own.getKey(), factor, own.getValue(), typical);
            }
        }
        return worst;
    }

    private static long[] peers(List<Observation> devices, int device, Measure measure) {
        return IntStream.range(0, devices.size())
                .filter(peer ->
                        peer != device && devices.get(peer).typicalNanos().containsKey(measure))
                .mapToLong(peer -> devices.get(peer).typicalNanos().get(measure))
                .sorted()
                .toArray();
    }
}
