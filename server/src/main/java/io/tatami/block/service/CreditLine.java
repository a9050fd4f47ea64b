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
    /** Where they are used up as fast as that, {@link #ASK_MILLIS_MIN} apart: 20,000 blocks a second. */
    static final int CREDITS_MAX = 1_024;

    /** Where credits for long blocks would be fewer. */
    static final int CREDITS_MIN = 32;

    static final long ASK_MILLIS_MIN = 50;
    static final long ASK_MILLIS_MAX = 2_000;

    /** Used between two questions: they come too seldom. */
    private static final int USED_MANY = 8;

    /** The shortest blocks that credits are given for in crowds, as a part of the longest. */
    private static final int SHORT_PARTS = 64;

    private static final int STARTS_SHIFT = 32;

    private long sequence;
    private int left;
    private int offered;
    private int target;
    private int used;
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
     * @param room of the server that this shard may count on
     */
    GiveCreditsRequest request(int serverId, Room room) {
        Check.check(!waiting, "gift %d was not answered", sequence);
        waiting = true;
        target = room.credits(used);
        if (offered == 0 && left < target / 2 + target % 2) {
            offered = target - left;
        }
        return GiveCreditsRequest.newBuilder()
                .setServerId(serverId)
                .setSequence(sequence)
                .setBlocks(offered)
                .build();
    }

    /** @return for how many blocks the shard has taken credits now */
    int answered(int leftNow, long nowMillis) {
        int given = offered;
        used = left + offered - leftNow;
        boolean isShort = used > USED_MANY || leftNow < target / 2 + target % 2;
        askMillis = isShort ? ASK_MILLIS_MIN : Math.min(ASK_MILLIS_MAX, askMillis * 2);
        left = leftNow;
        offered = 0;
        sequence++;
        waiting = false;
        nextAskMillis = nowMillis + askMillis;
        return given;
    }

    /** The same gift is sent again later. */
    void failed(long nowMillis) {
        waiting = false;
        nextAskMillis = nowMillis + ASK_MILLIS_MAX;
    }

    /**
     * What credits may be given for.
     *
     * @param freeBytes on all volumes
     * @param blockSizeBytes of the longest blocks
     * @param shards among which the room is divided
     */
    record Room(long freeBytes, long blockSizeBytes, int shards) {
        /**
         * How many a shard should have: for as many of the longest blocks as fit, and for what it will use before it is asked
         * twice more. Those who make many blocks at a time make short ones, each of which takes next to nothing of what a credit
         * stands for. Where this promises too much, a long block is refused when it is written, and goes elsewhere.
         *
         * @param used since it was asked last
         */
        int credits(int used) {
            long shortOnes = freeBytes * SHORT_PARTS / blockSizeBytes;
            if (shortOnes == 0) {
                return 0;
            }
            long longOnes = freeBytes / blockSizeBytes / shards;
            long wanted = Math.max(Math.max(CREDITS_MIN, longOnes), 4L * used);
            return (int) Math.min(wanted, Math.min(CREDITS_MAX, Math.max(CREDITS_MIN, shortOnes / shards)));
        }
    }
}
