package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.block.service.BlockRig;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.index.CopyNumbers;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What shards are told of damage, how often and how much. */
final class DamageNoticesTest {
    private static final ServerId SERVER = new ServerId(9);
    private static final GroupId SHARD = BlockRig.block(1).home();

    private final DamageNotices notices = new DamageNotices();

    private static StoredBlock copy(BlockId block, int number) {
        CopyNumbers numbers = CopyNumbers.begun(number, Generation.FIRST);
        return new StoredBlock(block, numbers, 1, 1, 1, true, true, false);
    }

    @Test
    void eachShardHearsOfItsBlocksOnce() {
        BlockId other = BlockId.of(5, 0, 1);
        notices.found(copy(BlockRig.block(1), 0));
        notices.found(copy(BlockRig.block(1), 0));
        notices.found(copy(other, 3));

        assertEquals(2, notices.due(0).size());
        assertEquals(
                List.of(BlockRig.block(1).value()),
                notices.request(SHARD, SERVER).getBlockIdList());
        assertEquals(List.of(other.home()), notices.due(0));
        notices.answered(SHARD);
        DamagedCopiesRequest told = notices.request(other.home(), SERVER);
        assertEquals(List.of(other.value()), told.getBlockIdList());
        assertEquals(List.of(3), told.getCopyNumberList());
        notices.answered(other.home());
        assertEquals(List.of(), notices.due(0));
    }

    @Test
    void whatWasNotAnsweredIsToldAgainLaterAndLater() {
        notices.found(copy(BlockRig.block(1), 0));
        long now = 0;
        for (long pause = ShardNotices.RETRY_MILLIS_MIN; pause <= ShardNotices.RETRY_MILLIS_MAX; pause *= 2) {
            assertEquals(1, notices.request(SHARD, SERVER).getBlockIdCount());
            notices.failed(SHARD, now);
            assertEquals(List.of(), notices.due(now + pause - 1));
            now += pause;
            assertEquals(List.of(SHARD), notices.due(now));
        }
        int tries = 6;
        while (!notices.due(now).isEmpty()) {
            assertEquals(1, notices.request(SHARD, SERVER).getBlockIdCount());
            notices.failed(SHARD, now);
            now += ShardNotices.RETRY_MILLIS_MAX;
            assertTrue(++tries <= ShardNotices.TRIES_MAX, "it goes on for ever");
        }
        assertEquals(ShardNotices.TRIES_MAX, tries);
    }

    @Test
    void blocksThatWaitAreFewAndToldInPages() {
        for (int number = 1; number <= 2 * DamageNotices.BLOCKS_MAX; number++) {
            notices.found(copy(BlockRig.block(number), 0));
        }
        int told = 0;
        while (!notices.due(0).isEmpty()) {
            int count = notices.request(SHARD, SERVER).getBlockIdCount();
            assertTrue(count <= DamageNotices.REQUEST_BLOCKS_MAX, count + " in one request");
            told += count;
            notices.answered(SHARD);
        }
        assertEquals(DamageNotices.BLOCKS_MAX, told);
        notices.found(copy(BlockRig.block(1), 0));
        assertEquals(List.of(SHARD), notices.due(0));
    }
}
