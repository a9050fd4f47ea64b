package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a server lets shards place on it. */
class CreditPoolTest {
    private static final long BLOCK_BYTES = 256L << 20;
    private static final int SHARDS = 8;
    private static final ServerId SERVER = new ServerId(7);

    private final CreditPool pool = pool(1);

    private static CreditPool pool(long starts) {
        CreditPool pool = new CreditPool(starts, BLOCK_BYTES);
        pool.divideAmong(SHARDS);
        return pool;
    }

    private GiveCreditsRequest request(int shard, long freeBytes) {
        pool.divide(freeBytes);
        return pool.request(SERVER, shard);
    }

    @Test
    void aGiftIsRepeatedUntilItIsAnsweredAndNeverAgain() {
        GiveCreditsRequest first = request(0, 128L << 30);
        assertEquals(64, first.getBlocks());
        pool.failed(0, 0);
        GiveCreditsRequest again = request(0, 128L << 30);
        assertEquals(first, again);
        assertEquals(64, pool.answered(0, 64, 0), "the gift is taken once, whatever was sent");
        GiveCreditsRequest question = request(0, 128L << 30);
        assertEquals(0, question.getBlocks());
        assertTrue(question.getSequence() > first.getSequence());
        assertEquals(0, pool.answered(0, 31, 0), "a question is no gift");
        GiveCreditsRequest second = request(0, 128L << 30);
        assertEquals(4 * 33 - 31, second.getBlocks());
        CreditPool restarted = pool(2);
        restarted.divide(128L << 30);
        assertTrue(restarted.request(SERVER, 0).getSequence() > second.getSequence());
    }

    @Test
    void aShardThatUsesCreditsUpFastIsAskedSoon() {
        assertEquals(64, request(3, 128L << 30).getBlocks());
        pool.answered(3, 64, 1000);
        long quiet = 1000 + 2 * CreditLine.ASK_MILLIS_MIN;
        assertTrue(!pool.isDue(3, quiet - 1) && pool.isDue(3, quiet));
        assertEquals(0, request(3, 128L << 30).getBlocks());
        pool.answered(3, 10, quiet);
        assertTrue(pool.isDue(3, quiet + CreditLine.ASK_MILLIS_MIN));
    }

    @Test
    void aShardThatSaysThatFewAreLeftIsGivenMoreAtOnceAndSoonHasMany() {
        long now = 0;
        GiveCreditsRequest gift = request(5, 40L << 30);
        assertEquals(CreditLine.CREDITS_MIN, gift.getBlocks());
        int left = gift.getBlocks();
        pool.answered(5, left, now);
        for (int i = 0; i < 5; i++) {
            now += 10;
            assertFalse(pool.isDue(5, now), "the shard has enough");
            pool.ranLow(low(5, gift.getSequence(), left / 2 - 1), now);
            assertTrue(pool.isDue(5, now));
            gift = request(5, 40L << 30);
            left = left / 2 - 1 + gift.getBlocks();
            pool.answered(5, left, now);
        }
        assertTrue(left > CreditLine.CREDITS_MAX / 2, "from 32 to " + left);
    }

    @Test
    void whatAShardSaysWhileAGiftIsOnItsWayIsLookedIntoAfterIt() {
        GiveCreditsRequest gift = request(1, 40L << 30);
        pool.ranLow(low(1, 0, 0), 10);
        assertFalse(pool.isDue(1, 10), "one message at a time");
        pool.answered(1, gift.getBlocks(), 12);
        assertTrue(pool.isDue(1, 12));
        assertEquals(0, request(1, 40L << 30).getBlocks(), "it has what it was given meanwhile");
        pool.answered(1, gift.getBlocks(), 13);
        pool.ranLow(low(1, gift.getSequence(), 0), 14);
        assertEquals(0, request(1, 40L << 30).getBlocks(), "what it had before the newest question is no news");
    }

    @Test
    void aShardThatUsesManyIsGivenManyAsLongAsOthersNeedFew() {
        use(0, 300, 16L << 30);
        int busy = request(0, 16L << 30).getBlocks();
        assertTrue(busy > 700, "alone it has what the others do not want: " + busy);
        pool.answered(0, busy, 0);
        use(1, 300, 16L << 30);
        GiveCreditsRequest second = request(1, 16L << 30);
        assertTrue(second.getBlocks() >= CreditLine.CREDITS_MIN, "what is held already cannot be taken back");
        long all = 16L << 30 >> 22;
        assertTrue(busy + second.getBlocks() <= all + 6 * CreditLine.CREDITS_MIN, "no more than there is room for");
    }

    /** A shard takes what it is given and has used {@code count} of it when it says so. */
    private void use(int shard, int count, long freeBytes) {
        int left = 0;
        while (left < count) {
            GiveCreditsRequest gift = request(shard, freeBytes);
            left += gift.getBlocks();
            pool.answered(shard, left, 0);
            if (left < count) {
                left = 0;
                pool.ranLow(low(shard, gift.getSequence(), 0), 0);
            }
        }
        request(shard, freeBytes);
        pool.answered(shard, left - count, 0);
    }

    @Test
    void creditsFollowTheRoomThatIsFree() {
        assertEquals(512, share(1L << 40));
        assertEquals(40, share(80L << 30));
        assertEquals(CreditLine.CREDITS_MIN, share(10L << 30));
        assertEquals(CreditLine.CREDITS_MIN, share(5L << 20));
        assertEquals(0, share(1L << 20));
        assertEquals(CreditLine.CREDITS_MAX, share(16L << 40));
    }

    private static int share(long freeBytes) {
        CreditPool idle = pool(1);
        idle.divide(freeBytes);
        return idle.request(SERVER, 0).getBlocks();
    }

    @Test
    void aMessageAboutAShardThatThereIsNotIsPassedOver() {
        pool.ranLow(low(SHARDS, 1, 0), 0);
        pool.ranLow(low(-1, 1, 0), 0);
        assertEquals(SHARDS, pool.shards());
    }

    @Test
    void nobodyHasLessThanAnotherUnlessItWantsNoMore() {
        assertArrayEquals(new int[] {1, 4, 4}, FairShares.of(new int[] {1, 9, 5}, 9));
        assertArrayEquals(new int[] {1, 9, 5}, FairShares.of(new int[] {1, 9, 5}, 100));
        assertArrayEquals(new int[] {0, 0}, FairShares.of(new int[] {3, 3}, -1));
        Random random = new Random(17);
        for (int round = 0; round < 1_000; round++) {
            int[] wanted = random.ints(1 + random.nextInt(9), 0, 50).toArray();
            long total = random.nextInt(200);
            int[] shares = FairShares.of(wanted, total);
            long given = Arrays.stream(shares).asLongStream().sum();
            assertTrue(given <= total);
            assertTrue(given + wanted.length
                    > Math.min(total, Arrays.stream(wanted).asLongStream().sum()));
            int greatest = Arrays.stream(shares).max().orElseThrow();
            for (int i = 0; i < wanted.length; i++) {
                assertTrue(shares[i] == wanted[i] || shares[i] >= greatest - 1, Arrays.toString(wanted) + total);
            }
        }
    }

    private static CreditsLowRequest low(int shard, long sequence, int left) {
        return CreditsLowRequest.newBuilder()
                .setShard(shard)
                .setSequence(sequence)
                .setLeft(left)
                .build();
    }
}
