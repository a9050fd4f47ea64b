package io.tatami.block.service.read;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadStatistic;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.rpc.CallContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What readers read, by user, caller context, file, host, reason and distance. In memory only. What nobody has read for
 * a day is dropped. Of more than {@value #COUNTS_MAX}, the one that was idle for longest joins a sum of such, by reason
 * and distance, so that the total stays true. Safe for use by many threads; a stream pays for the lock when it begins
 * and ends, and for each frame an addition.
 */
public final class ReadCounts {
    static final int COUNTS_MAX = 10_000;
    static final Duration KEPT = Duration.ofDays(1);

    /** Items of one page of an answer. */
    static final int PAGE_ITEMS = 1_000;

    private final Clock clock;
    private final int countsMax;
    private final long sinceMillis;

    /** Under which streams are open; guarded by this. */
    private final Map<Key, Count> open = new HashMap<>();

    /** Under which none is, the longest idle first; guarded by this. */
    private final LinkedHashMap<Key, Count> idle = new LinkedHashMap<>();

    /** Sums of what was too much, by reason and distance; guarded by this. */
    private final Map<Key, Count> others = new HashMap<>();

    private long lastNumber;

    private record Key(
            String user,
            ByteString context,
            long fileId,
            String host,
            ReadBlockRequest.Reason reason,
            ReadBlockRequest.Distance distance) {
        static Key of(CallContext caller, ReadBlockRequest request) {
            return new Key(
                    caller.user().user(),
                    caller.callerContext(),
                    request.getFileId(),
                    request.getClientHost(),
                    known(request.getReason()),
                    known(request.getDistance()));
        }

        Key others() {
            return new Key("", ByteString.EMPTY, 0, "", reason, distance);
        }

        private static ReadBlockRequest.Reason known(ReadBlockRequest.Reason told) {
            return told == ReadBlockRequest.Reason.UNRECOGNIZED ? ReadBlockRequest.Reason.UNKNOWN_REASON : told;
        }

        private static ReadBlockRequest.Distance known(ReadBlockRequest.Distance told) {
            return told == ReadBlockRequest.Distance.UNRECOGNIZED ? ReadBlockRequest.Distance.UNKNOWN_DISTANCE : told;
        }
    }

    /** The bytes of one key. */
    private static final class Count {
        final long number;
        final long firstMillis;
        final AtomicLong volumeBytes = new AtomicLong();
        final AtomicLong cachedBytes = new AtomicLong();

        // Guarded by the statistics.
        long streams;
        int open;
        long lastMillis;
        long lastNanos;

        Count(long number, long firstMillis) {
            this.number = number;
            this.firstMillis = firstMillis;
        }
    }

    /** What one stream sends is added to. */
    public final class Counted implements AutoCloseable {
        private final Key key;
        private final Count count;
        private final boolean isOfOthers;

        private Counted(Key key, Count count, boolean isOfOthers) {
            this.key = key;
            this.count = count;
            this.isOfOthers = isOfOthers;
        }

        /** @param cached whether the bytes came from the cache tier */
        void add(long bytes, boolean cached) {
            (cached ? count.cachedBytes : count.volumeBytes).addAndGet(bytes);
        }

        /** The stream has ended. Once. */
        @Override
        public void close() {
            synchronized (ReadCounts.this) {
                count.open--;
                touch(count);
                if (!isOfOthers && count.open == 0) {
                    open.remove(key);
                    idle.put(key, count);
                }
            }
        }
    }

    public ReadCounts(Clock clock) {
        this(clock, COUNTS_MAX);
    }

    /** @param countsMax how many are kept apart */
    ReadCounts(Clock clock, int countsMax) {
        this.clock = clock;
        this.countsMax = countsMax;
        this.sinceMillis = clock.wallMillis();
    }

    /** A stream begins; the caller closes what it gets when the stream has ended. */
    Counted open(CallContext caller, ReadBlockRequest request) {
        Key key = Key.of(caller, request);
        synchronized (this) {
            dropIdle();
            @Nullable Count count = open.get(key);
            if (count == null) {
                count = idle.remove(key);
            }
            boolean isOfOthers = count == null && !makeRoom();
            if (isOfOthers) {
                count = others(key);
            } else {
                count = count == null ? newCount() : count;
                open.put(key, count);
            }
            count.streams++;
            count.open++;
            touch(count);
            return new Counted(key, count, isOfOthers);
        }
    }

    private Count newCount() {
        return new Count(++lastNumber, clock.wallMillis());
    }

    private Count others(Key key) {
        return others.computeIfAbsent(key.others(), sum -> newCount());
    }

    private void touch(Count count) {
        count.lastMillis = clock.wallMillis();
        count.lastNanos = clock.monotonicNanos();
    }

    /** Whether one more can be kept apart. */
    private boolean makeRoom() {
        if (open.size() + idle.size() < countsMax) {
            return true;
        }
        Iterator<Map.Entry<Key, Count>> idlest = idle.entrySet().iterator();
        if (!idlest.hasNext()) {
            return false;
        }
        Map.Entry<Key, Count> entry = idlest.next();
        Count count = entry.getValue();
        Count sum = others(entry.getKey());
        sum.volumeBytes.addAndGet(count.volumeBytes.get());
        sum.cachedBytes.addAndGet(count.cachedBytes.get());
        sum.streams += count.streams;
        touch(sum);
        idlest.remove();
        return true;
    }

    private void dropIdle() {
        Iterator<Count> idlest = idle.values().iterator();
        while (idlest.hasNext() && isForgotten(idlest.next())) {
            idlest.remove();
        }
        others.values().removeIf(this::isForgotten);
    }

    private boolean isForgotten(Count count) {
        return count.open == 0 && clock.monotonicNanos() - count.lastNanos >= KEPT.toNanos();
    }

    /**
     * A page of what agrees with the request, and of the sums that may contain such.
     *
     * @param user whose reads are told; null for all users', of which alone there are sums
     */
    synchronized ReadStatisticsReply answer(ReadStatisticsRequest request, @Nullable String user) {
        dropIdle();
        Set<Long> files = new HashSet<>(request.getFileIdList());
        List<Map.Entry<Key, Count>> found = new ArrayList<>();
        Stream.concat(
                        Stream.concat(open.entrySet().stream(), idle.entrySet().stream())
                                .filter(entry -> matches(entry.getKey(), request, files, user)),
                        others.entrySet().stream().filter(entry -> user == null))
                .filter(entry -> entry.getValue().number > request.getAfter())
                .sorted(Comparator.comparingLong(entry -> entry.getValue().number))
                .limit(PAGE_ITEMS + 1L)
                .forEach(found::add);
        ReadStatisticsReply.Builder reply = ReadStatisticsReply.newBuilder().setSinceMillis(sinceMillis);
        if (found.size() > PAGE_ITEMS) {
            found.remove(PAGE_ITEMS);
            reply.setNext(found.get(PAGE_ITEMS - 1).getValue().number);
        }
        found.forEach(entry -> reply.addItem(item(entry.getKey(), entry.getValue())));
        return reply.build();
    }

    private static boolean matches(Key key, ReadStatisticsRequest request, Set<Long> files, @Nullable String user) {
        return (user == null || user.equals(key.user))
                && (files.isEmpty() || files.contains(key.fileId))
                && (request.getContext().isEmpty() || key.context.toStringUtf8().contains(request.getContext()));
    }

    private ReadStatistic item(Key key, Count count) {
        return ReadStatistic.newBuilder()
                .setUser(key.user)
                .setCallerContext(key.context)
                .setFileId(key.fileId)
                .setClientHost(key.host)
                .setReason(key.reason)
                .setDistance(key.distance)
                .setVolumeBytes(count.volumeBytes.get())
                .setCachedBytes(count.cachedBytes.get())
                .setStreams(count.streams)
                .setFirstMillis(count.firstMillis)
                .setLastMillis(count.lastMillis)
                .setOthers(others.get(key) == count)
                .build();
    }
}
