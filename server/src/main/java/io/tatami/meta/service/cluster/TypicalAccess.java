package io.tatami.meta.service.cluster;

import io.tatami.base.Clock;
import io.tatami.protocol.wire.AccessMedians;
import io.tatami.protocol.wire.HeartbeatRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * How long accesses take on a typical volume of the cluster, so that a server with one volume knows whether that is
 * slow. Counted anew once a second at most, however many servers ask. Safe for use by many threads.
 */
final class TypicalAccess {
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private AccessMedians medians = AccessMedians.getDefaultInstance();
    private long countedNanos;

    TypicalAccess(Clock clock) {
        this.clock = clock;
        this.countedNanos = clock.monotonicNanos() - KEPT_NANOS;
    }

    /** @param heartbeats the last ones of all servers that are alive */
    synchronized AccessMedians medians(Supplier<List<HeartbeatRequest>> heartbeats) {
        long now = clock.monotonicNanos();
        if (now - countedNanos >= KEPT_NANOS) {
            countedNanos = now;
            medians = count(heartbeats.get());
        }
        return medians;
    }

    private static AccessMedians count(List<HeartbeatRequest> heartbeats) {
        return AccessMedians.newBuilder()
                .setSmallReadMicros(median(heartbeats, AccessMedians::getSmallReadMicros))
                .setLargeReadMicros(median(heartbeats, AccessMedians::getLargeReadMicros))
                .setSmallWriteMicros(median(heartbeats, AccessMedians::getSmallWriteMicros))
                .setLargeWriteMicros(median(heartbeats, AccessMedians::getLargeWriteMicros))
                .build();
    }

    /** The lower one of two, so that of two volumes the slow one is compared with the other; 0 for none. */
    private static long median(List<HeartbeatRequest> heartbeats, ToLongFunction<AccessMedians> measure) {
        long[] micros = heartbeats.stream()
                .flatMap(heartbeat -> heartbeat.getVolumeList().stream())
                .mapToLong(measure)
                .filter(known -> known > 0)
                .sorted()
                .toArray();
        return micros.length == 0 ? 0 : micros[(micros.length - 1) / 2];
    }
}
