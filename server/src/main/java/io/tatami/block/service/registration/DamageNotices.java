package io.tatami.block.service.registration;

import io.tatami.base.BlockId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.block.volume.StoredBlock;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The damaged copies of this server that their shards have not heard of yet. What does not fit here, or is given up, a
 * shard learns from its next audit. Safe for use by many threads.
 */
public final class DamageNotices {
    private static final Logger LOG = LoggerFactory.getLogger(DamageNotices.class);

    /** In all, of all shards: a disk that breaks damages more, and its volume is to be looked at then. */
    static final int BLOCKS_MAX = 4_096;

    /** As many as a shard takes in one request. */
    static final int REQUEST_BLOCKS_MAX = 256;

    private final ShardNotices<BlockId, StoredBlock> notices = new ShardNotices<>(BLOCKS_MAX, REQUEST_BLOCKS_MAX);
    private final AtomicBoolean hasDropped = new AtomicBoolean();

    /** A copy is damaged here; does not wait. */
    public void found(StoredBlock copy) {
        BlockId block = copy.block();
        if (!notices.put(block.home(), block, copy) && hasDropped.compareAndSet(false, true)) {
            LOG.warn("more than {} damaged blocks wait to be told to their shards; audits tell the rest", BLOCKS_MAX);
        }
    }

    /** The shards that can be told something now. */
    List<GroupId> due(long nowMillis) {
        return notices.due(nowMillis);
    }

    /** What to tell a shard that is {@link #due}; must be followed by {@link #answered} or {@link #failed}. */
    DamagedCopiesRequest request(GroupId shard, ServerId server) {
        DamagedCopiesRequest.Builder request = DamagedCopiesRequest.newBuilder().setServerId(server.value());
        notices.ask(shard)
                .forEach(copy -> request.addBlockId(copy.block().value()).addCopyNumber(copy.copyNumber()));
        return request.build();
    }

    void answered(GroupId shard) {
        notices.answered(shard);
    }

    /** The same is told again later, or given up after many times. */
    void failed(GroupId shard, long nowMillis) {
        int givenUp = notices.failed(shard, nowMillis);
        if (givenUp > 0) {
            LOG.warn("{} did not hear of damage of {} blocks; its next audit finds it", shard, givenUp);
        }
    }
}
