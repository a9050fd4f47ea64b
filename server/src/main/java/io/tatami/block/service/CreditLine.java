package io.tatami.block.service;

import io.tatami.base.Check;
import io.tatami.protocol.wire.GiveCreditsRequest;

/**
 * What this server lets one shard place here. Not safe for use by many threads: {@link Membership} owns it.
 *
 * <p>Each gift has a sequence of its own, made of the count of this server's starts and a counter, so that none repeats
 * one of an earlier start; the same gift is sent until the shard answers, and counts once. A gift of nothing asks how
 * much is left. The shard is asked the oftener, the faster it uses credits up.
 */
final class CreditLine {
    static final int CREDITS_MAX = 64;

    /**
     * While there is any room to speak of. With fewer, crowds of short files made in one directory, by one shard, would wait for
     * credits on a small volume, though each takes next to nothing of what a credit stands for; a long block that then finds no
     * room is refused when written.
     */
    static final int CREDITS_MIN = 32;

    static final long ASK_MILLIS_MIN = 50;
    static final long ASK_MILLIS_MAX = 2_000;

    /** Used between two questions: they come too seldom. */
    private static final int USED_MANY = CREDITS_MAX / 8;

    private static final int STARTS_SHIFT = 32;

    private long sequence;
    private int left;
    private int offered;
    private int target;
    private long askMillis = ASK_MILLIS_MIN;
    private long nextAskMillis;
    private boolean waiting;

    CreditLine(long starts) {
        Check.check(starts > 0 && starts < 1L << (Long.SIZE - STARTS_SHIFT - 1), "%d starts", starts);
        sequence = (starts << STARTS_SHIFT) + 1;
    }

    /** Whether it is time to send {@link #request}. */
    boolean isDue(long nowMillis) {
        return !waiting && nowMillis >= nextAskMillis;
    }

    /**
     * The next message to the shard, which must be answered by {@link #answered} or {@link #failed}.
     *
     * @param targetNow how many credits the shard should have
     */
    GiveCreditsRequest request(int serverId, int targetNow) {
        Check.check(!waiting, "gift %d was not answered", sequence);
        waiting = true;
        target = targetNow;
        if (offered == 0 && left < target / 2 + target % 2) {
            offered = target - left;
        }
        return GiveCreditsRequest.newBuilder()
                .setServerId(serverId)
                .setSequence(sequence)
                .setBlocks(offered)
                .build();
    }

    void answered(int leftNow, long nowMillis) {
        int used = left + offered - leftNow;
        boolean isShort = used > USED_MANY || leftNow < target / 2 + target % 2;
        askMillis = isShort ? ASK_MILLIS_MIN : Math.min(ASK_MILLIS_MAX, askMillis * 2);
        left = leftNow;
        offered = 0;
        sequence++;
        waiting = false;
        nextAskMillis = nowMillis + askMillis;
    }

    /** The same gift is sent again later. */
    void failed(long nowMillis) {
        waiting = false;
        nextAskMillis = nowMillis + ASK_MILLIS_MAX;
    }

    /**
     * How many credits each of {@code shards} shards should have: what fits into the free room, a few at least while there
     * is any to speak of, since most blocks are shorter than the longest.
     */
    static int target(long freeBytes, long blockSizeBytes, int shards) {
        if (freeBytes < blockSizeBytes / CREDITS_MAX) {
            return 0;
        }
        long fit = freeBytes / blockSizeBytes / shards;
        return (int) Math.max(CREDITS_MIN, Math.min(CREDITS_MAX, fit));
    }
}
