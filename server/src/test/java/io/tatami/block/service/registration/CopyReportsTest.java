package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.block.service.BlockRig;
import io.tatami.protocol.wire.CopiesMadeRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What shards are told of copies, how often and how much. */
final class CopyReportsTest {
    private static final ServerId SERVER = new ServerId(9);
    private static final GroupId SHARD = BlockRig.block(1).home();

    private final CopyReports reports = new CopyReports();

    @Test
    void aCopyIsReportedOnceUntilItIsReportedAgain() {
        reports.add(report(1, 1, 0));
        reports.add(report(1, 1, 0));

        assertEquals(List.of(report(1, 1, 0)), asked());
        assertEquals(List.of(), reports.due(0));
        reports.answered(SHARD);
        assertEquals(List.of(), reports.due(0));

        reports.add(report(1, 1, 0));
        assertEquals(List.of(report(1, 1, 0)), asked());
    }

    @Test
    void whatWasReportedOtherwiseMeanwhileIsToldToo() {
        reports.add(report(1, 1, 7));
        assertEquals(List.of(report(1, 1, 7)), asked());
        reports.add(report(1, 1, 0));
        reports.add(report(1, 2, 0));

        reports.answered(SHARD);

        assertEquals(List.of(report(1, 1, 0), report(1, 2, 0)), asked());
    }

    @Test
    void whatWasNotAnsweredIsToldAgainLaterAndLaterAndNotForEver() {
        reports.add(report(1, 1, 0));
        long now = 0;
        int tries = 0;
        while (!reports.due(now).isEmpty()) {
            assertEquals(1, asked().size());
            reports.failed(SHARD, now);
            long pause = Math.min(ShardNotices.RETRY_MILLIS_MAX, ShardNotices.RETRY_MILLIS_MIN << Math.min(tries, 10));
            assertEquals(List.of(), reports.due(now + pause - 1));
            now += pause;
            assertTrue(++tries <= ShardNotices.TRIES_MAX, "it goes on for ever");
        }
        assertEquals(ShardNotices.TRIES_MAX, tries);
    }

    @Test
    void aRequestAndWhatWaitsAreLimited() {
        for (int number = 1; number <= CopyReports.REPORTS_MAX + 5; number++) {
            reports.add(report(number, 1, 0));
        }
        int told = 0;
        while (!reports.due(0).isEmpty()) {
            told += asked().size();
            reports.answered(SHARD);
        }
        assertEquals(CopyReports.REPORTS_MAX, told);
    }

    private List<CopiesMadeRequest.Item> asked() {
        CopiesMadeRequest request = reports.request(SHARD, SERVER, 7);
        assertEquals(SERVER.value(), request.getServerId());
        assertTrue(request.getItemCount() <= CopyReports.REQUEST_REPORTS_MAX, "too many in one request");
        return request.getItemList();
    }

    private static CopiesMadeRequest.Item report(int block, int number, int error) {
        return CopiesMadeRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(block).value())
                .setCopyNumber(number)
                .setError(error)
                .build();
    }
}
