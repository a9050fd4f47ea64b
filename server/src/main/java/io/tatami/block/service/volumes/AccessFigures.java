package io.tatami.block.service.volumes;

import io.tatami.block.device.AccessTimes.Measure;
import io.tatami.protocol.wire.AccessMedians;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Typical times of accesses as messages carry them: in microseconds, 0 for those that are not known. */
public final class AccessFigures {
    private AccessFigures() {}

    public static AccessMedians of(Map<Measure, Long> typicalNanos) {
        return AccessMedians.newBuilder()
                .setSmallReadMicros(micros(typicalNanos, Measure.SMALL_READ))
                .setLargeReadMicros(micros(typicalNanos, Measure.LARGE_READ))
                .setSmallWriteMicros(micros(typicalNanos, Measure.SMALL_WRITE))
                .setLargeWriteMicros(micros(typicalNanos, Measure.LARGE_WRITE))
                .build();
    }

    public static Map<Measure, Long> nanos(AccessMedians figures) {
        Map<Measure, Long> nanos = new EnumMap<>(Measure.class);
        put(nanos, Measure.SMALL_READ, figures.getSmallReadMicros());
        put(nanos, Measure.LARGE_READ, figures.getLargeReadMicros());
        put(nanos, Measure.SMALL_WRITE, figures.getSmallWriteMicros());
        put(nanos, Measure.LARGE_WRITE, figures.getLargeWriteMicros());
        return nanos;
    }

    private static void put(Map<Measure, Long> nanos, Measure measure, long micros) {
        if (micros > 0) {
            nanos.put(measure, TimeUnit.MICROSECONDS.toNanos(micros));
        }
    }

    /** What takes less than a microsecond takes one. */
    private static long micros(Map<Measure, Long> typicalNanos, Measure measure) {
        Long nanos = typicalNanos.get(measure);
        return nanos == null ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMicros(nanos));
    }
}
