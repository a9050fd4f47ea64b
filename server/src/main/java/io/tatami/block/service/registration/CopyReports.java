package io.tatami.block.service.registration;

import io.tatami.base.BlockId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.CopiesMadeRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies that were made on this server, or could not be, of which their shards have not heard yet. What does not
 * fit here, is given up, or is lost with the process, a shard learns when it asks for the copy again, or from its next
 * audit. Safe for use by many threads.
 */
public final class CopyReports {
    private static final Logger LOG = LoggerFactory.getLogger(CopyReports.class);

    /** In all, of all shards. */
    static final int REPORTS_MAX = 16_384;

    /** Fewer than a shard takes in one request, so that its log takes small entries. */
    static final int REQUEST_REPORTS_MAX = 256;

    private final ShardNotices<Copy, CopiesMadeRequest.Item> notices =
            new ShardNotices<>(REPORTS_MAX, REQUEST_REPORTS_MAX);

    private final AtomicBoolean hasDropped = new AtomicBoolean();

    private record Copy(BlockId block, int number) {}

    /** Tells the shard soon; does not wait. Of one copy the last report counts. */
    public void add(CopiesMadeRequest.Item report) {
        Copy copy = new Copy(new BlockId(report.getBlockId()), report.getCopyNumber());
        if (!notices.put(copy.block().home(), copy, report) && hasDropped.compareAndSet(false, true)) {
            LOG.warn("more than {} reports of copies wait for their shards; those ask again", REPORTS_MAX);
        }
    }

    /** The shards that can be told something now. */
    List<GroupId> due(long nowMillis) {
        return notices.due(nowMillis);
    }

    /** What to tell a shard that is {@link #due}; must be followed by {@link #answered} or {@link #failed}. */
    CopiesMadeRequest request(GroupId shard, ServerId server, long incarnation) {
        return CopiesMadeRequest.newBuilder()
                .setIncarnation(incarnation)
                .setServerId(server.value())
                .addAllItem(notices.ask(shard))
                .build();
    }

    void answered(GroupId shard) {
        notices.answered(shard);
    }

    /** The same is told again later, or given up after many times. */
    void failed(GroupId shard, long nowMillis) {
        int givenUp = notices.failed(shard, nowMillis);
        if (givenUp > 0) {
            LOG.warn("{} did not hear of {} copies; it asks for them again", shard, givenUp);
        }
    }
}
