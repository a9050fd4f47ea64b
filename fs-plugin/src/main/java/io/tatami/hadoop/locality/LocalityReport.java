package io.tatami.hadoop.locality;

import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import io.tatami.protocol.wire.ReadStatistic;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Sums of what block servers counted, by distance and by reason. */
final class LocalityReport {
    private final Map<Distance, Sum> distances = new EnumMap<>(Distance.class);
    private final Map<Reason, Sum> reasons = new EnumMap<>(Reason.class);
    private final List<Read> remote = new ArrayList<>();
    private final Sum others = new Sum();
    private long cachedBytes;

    /** Payload and streams. */
    static final class Sum {
        private long bytes;
        private long streams;

        private void add(ReadStatistic item) {
            bytes += bytesOf(item);
            streams += item.getStreams();
        }

        long bytes() {
            return bytes;
        }

        long streams() {
            return streams;
        }
    }

    /** Reads that agree in all that is told of them, and the server that served them. */
    record Read(BlockServerInfo server, ReadStatistic item) {
        long bytes() {
            return bytesOf(item);
        }

        String context() {
            return item.getCallerContext().toStringUtf8();
        }
    }

    /** @param belongs whether a caller context is of what is asked about */
    static LocalityReport of(ReadStatisticsReport counted, Predicate<String> belongs) {
        LocalityReport report = new LocalityReport();
        for (ReadStatisticsReport.OfServer server : counted.servers()) {
            for (ReadStatistic item : server.items()) {
                if (item.getOthers()) {
                    report.others.add(item);
                } else if (belongs.test(item.getCallerContext().toStringUtf8())) {
                    report.add(new Read(server.server(), item));
                }
            }
        }
        report.remote.sort(Comparator.comparingLong(Read::bytes).reversed());
        return report;
    }

    void add(Read read) {
        ReadStatistic item = read.item();
        distances.computeIfAbsent(item.getDistance(), unused -> new Sum()).add(item);
        reasons.computeIfAbsent(item.getReason(), unused -> new Sum()).add(item);
        cachedBytes += item.getCachedBytes();
        if (item.getDistance() != Distance.HOST) {
            remote.add(read);
        }
    }

    static long bytesOf(ReadStatistic item) {
        return item.getVolumeBytes() + item.getCachedBytes();
    }

    Sum of(Distance distance) {
        return distances.getOrDefault(distance, new Sum());
    }

    /** Without those of which nothing was read. */
    Map<Reason, Sum> reasons() {
        return reasons;
    }

    /** Of all bytes, those from the cache tier. */
    long cachedBytes() {
        return cachedBytes;
    }

    /** Reads that are not from the reader's host, the largest first. */
    List<Read> remote() {
        return remote;
    }

    /** What some reads sum up to, by reason. */
    static Map<Reason, Sum> reasonsOf(List<Read> reads) {
        Map<Reason, Sum> reasons = new EnumMap<>(Reason.class);
        reads.forEach(read -> reasons.computeIfAbsent(read.item().getReason(), unused -> new Sum())
                .add(read.item()));
        return reasons;
    }

    /** What servers could not keep apart, of whatever job and file. */
    Sum others() {
        return others;
    }

    /** The remote reads of each task attempt of MapReduce, by its id. */
    Map<String, List<Read>> remoteByAttempt() {
        Map<String, List<Read>> attempts = new TreeMap<>();
        for (Read read : remote) {
            JobName.attemptIn(read.context())
                    .ifPresent(attempt -> attempts.computeIfAbsent(attempt, unused -> new ArrayList<>())
                            .add(read));
        }
        return attempts;
    }
}
