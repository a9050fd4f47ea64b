package io.tatami.block.service.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.ManualClock;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import io.tatami.protocol.wire.ReadStatistic;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a block server tells of the reads that it served. */
final class ReadCountsTest {
    private static final int COUNTS = 4;

    private final ManualClock clock = new ManualClock();
    private final ReadCounts statistics = new ReadCounts(clock, COUNTS);

    private static CallContext caller(String user, String context) {
        CallContext.Peer peer = new CallContext.Peer(new InetSocketAddress(1), "test", true, "c");
        CallOptions options = CallOptions.DEFAULT.withCallerContext(ByteString.copyFromUtf8(context));
        return new CallContext(peer, UserIdentity.of(user), options, 0);
    }

    private static ReadBlockRequest ofFile(long file) {
        return ReadBlockRequest.newBuilder()
                .setFileId(file)
                .setClientHost("host")
                .setReason(Reason.NO_LOCAL_COPY)
                .setDistance(Distance.RACK)
                .build();
    }

    private void read(String user, String context, long file, long bytes) {
        try (ReadCounts.Counted counted = statistics.open(caller(user, context), ofFile(file))) {
            counted.add(bytes, false);
        }
    }

    private List<ReadStatistic> told(@Nullable String user, ReadStatisticsRequest.Builder request) {
        return statistics.answer(request.build(), user).getItemList();
    }

    private List<ReadStatistic> all() {
        return told(null, ReadStatisticsRequest.newBuilder());
    }

    private static long bytes(List<ReadStatistic> items) {
        return items.stream()
                .mapToLong(item -> item.getVolumeBytes() + item.getCachedBytes())
                .sum();
    }

    @Test
    void readsThatAgreeInAllAreOneAndOthersAreApart() {
        ReadCounts.Counted first = statistics.open(caller("ann", "job_1"), ofFile(7));
        first.add(5, false);
        clock.advance(Duration.ofSeconds(3));
        ReadCounts.Counted second = statistics.open(caller("ann", "job_1"), ofFile(7));
        second.add(6, true);
        first.close();
        second.close();
        read("ann", "job_2", 7, 1);
        read("ann", "job_1", 8, 1);
        List<ReadStatistic> items = all();
        assertEquals(3, items.size());
        assertEquals(
                ReadStatistic.newBuilder()
                        .setUser("ann")
                        .setCallerContext(ByteString.copyFromUtf8("job_1"))
                        .setFileId(7)
                        .setClientHost("host")
                        .setReason(Reason.NO_LOCAL_COPY)
                        .setDistance(Distance.RACK)
                        .setVolumeBytes(5)
                        .setCachedBytes(6)
                        .setStreams(2)
                        .setLastMillis(3_000)
                        .build(),
                items.get(0));
    }

    @Test
    void oneUserDoesNotHearOfAnother() {
        read("ann", "job_1", 7, 5);
        read("bob", "job_1", 7, 6);
        assertEquals(5, bytes(told("ann", ReadStatisticsRequest.newBuilder())));
        assertEquals(List.of(), told("eve", ReadStatisticsRequest.newBuilder().setContext("job")));
        assertEquals(11, bytes(all()));
    }

    @Test
    void contextAndFilesChoose() {
        read("ann", "mr_attempt_9_0001_m_1", 7, 1);
        read("ann", "mr_attempt_9_0002_m_1", 7, 2);
        read("ann", "", 8, 4);
        assertEquals(1, bytes(told(null, ReadStatisticsRequest.newBuilder().setContext("9_0001"))));
        assertEquals(3, bytes(told(null, ReadStatisticsRequest.newBuilder().addFileId(7))));
        assertEquals(
                2,
                bytes(told(null, ReadStatisticsRequest.newBuilder().addFileId(7).setContext("9_0002"))));
    }

    @Test
    void whatIsTooMuchJoinsASumAndTheTotalStaysTrue() {
        long total = 0;
        for (int file = 1; file <= 3 * COUNTS; file++) {
            read("ann", "job", file, file);
            total += file;
        }
        List<ReadStatistic> items = all();
        assertEquals(total, bytes(items));
        assertEquals(
                3 * COUNTS, items.stream().mapToLong(ReadStatistic::getStreams).sum());
        List<ReadStatistic> sums =
                items.stream().filter(ReadStatistic::getOthers).toList();
        assertEquals(1, sums.size());
        assertEquals("", sums.get(0).getUser());
        assertEquals(Reason.NO_LOCAL_COPY, sums.get(0).getReason());
        assertEquals(COUNTS + 1, items.size());
        assertFalse(told("ann", ReadStatisticsRequest.newBuilder()).stream().anyMatch(ReadStatistic::getOthers));
    }

    @Test
    void whatIsBeingReadStaysApartHoweverLongItWasIdle() {
        ReadCounts.Counted open = statistics.open(caller("ann", "long"), ofFile(1));
        for (int file = 2; file <= 3 * COUNTS; file++) {
            read("ann", "job", file, 1);
        }
        open.add(100, false);
        assertEquals(
                100,
                bytes(told(null, ReadStatisticsRequest.newBuilder().setContext("long")).stream()
                        .filter(item -> !item.getOthers())
                        .toList()));
        open.close();
    }

    @Test
    void whereAllAreBeingReadTheNextOneIsCountedInTheSum() {
        List<ReadCounts.Counted> open = new ArrayList<>();
        for (int file = 1; file <= COUNTS + 2; file++) {
            open.add(statistics.open(caller("ann", "job"), ofFile(file)));
        }
        open.forEach(counted -> counted.add(10, false));
        open.forEach(ReadCounts.Counted::close);
        assertEquals(10 * (COUNTS + 2), bytes(all()));
        assertEquals(20, bytes(all().stream().filter(ReadStatistic::getOthers).toList()));
    }

    @Test
    void whatNobodyReadForADayIsDropped() {
        read("ann", "early", 1, 1);
        clock.advance(Duration.ofHours(12));
        read("ann", "late", 2, 2);
        ReadCounts.Counted open = statistics.open(caller("ann", "open"), ofFile(3));
        open.add(4, false);
        clock.advance(Duration.ofHours(12).minusNanos(1));
        assertEquals(7, bytes(all()));
        clock.advance(Duration.ofNanos(1));
        assertEquals(6, bytes(all()));
        clock.advance(Duration.ofDays(2));
        assertEquals(4, bytes(all()));
        open.close();
        assertEquals(4, bytes(all()));
        clock.advance(Duration.ofDays(1));
        assertEquals(List.of(), all());
    }

    @Test
    void pagesHaveEachItemOnce() {
        ReadCounts many = new ReadCounts(clock);
        int files = 2 * ReadCounts.PAGE_ITEMS + 1;
        for (int file = 1; file <= files; file++) {
            many.open(caller("ann", "job"), ofFile(file)).close();
        }
        List<Long> seen = new ArrayList<>();
        long after = 0;
        int pages = 0;
        do {
            ReadStatisticsReply page = many.answer(
                    ReadStatisticsRequest.newBuilder().setAfter(after).build(), null);
            page.getItemList().forEach(item -> seen.add(item.getFileId()));
            after = page.getNext();
            pages++;
        } while (after != 0);
        assertEquals(3, pages);
        assertEquals(files, seen.stream().distinct().count());
        assertEquals(files, seen.size());
        assertTrue(ReadCounts.COUNTS_MAX > files);
    }
}
