package io.tatami.block.service.registration;

import io.tatami.base.Check;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.GiveCreditsRequest;

/**
 * What this server lets one shard place here. Not safe for use by many threads: {@link CreditPool} owns it.
 *
 * <p>Each gift has a sequence of its own, made of the count of this server's starts and a counter, so that none repeats
 * one of an earlier start; the same gift is sent until the shard answers, and counts once. A gift of nothing asks how
 * much is left. A shard that has used half of what it had says so; one that does not is asked, the oftener, the faster
 * it uses credits up.
 */
public final class CreditLine {
    /** Of which half are left when the shard says so: 50,000 blocks a second where a gift takes 10 ms. */
    static final int CREDITS_MAX = 1_024;

    /** What each shard has at least. */
    static final int CREDITS_MIN = 32;

    public static final long ASK_MILLIS_MIN = 50;
    static final long ASK_MILLIS_MAX = 2_000;

    /** Used between two questions: they come too seldom. */
    private static final int USED_MANY = 8;

    /** How often what was used between two gifts is to be had. */
    private static final int USE_FACTOR = 4;

    private static final int STARTS_SHIFT = 32;

    private long sequence;
    private int left;
    private int offered;
    private int target;
    private int wanted;
    private long askMillis = ASK_MILLIS_MIN;
    private long nextAskMillis;
    private boolean waiting;
    private boolean ranLowMeanwhile;

    CreditLine(long starts) {
        Check.check(starts > 0 && starts < 1L << (Long.SIZE - STARTS_SHIFT - 1), "%d starts", starts);
        sequence = (starts << STARTS_SHIFT) + 1;
    }

    /** Whether it is time to send {@link #request}. */
    boolean isDue(long nowMillis) {
        return !waiting && nowMillis >= nextAskMillis;
    }

    /** How many the shard should have by what it uses; falls by half at each answer once it uses none. */
    int wanted() {
        return wanted;
    }

    /** How many the shard has, as far as this server knows, or will have once it takes what it is offered. */
    int held() {
        return left + offered;
    }

    /**
     * The next message to the shard, which must be answered by {@link #answered} or {@link #failed}.
     *
     * @param share how many this shard should have
     */
    GiveCreditsRequest request(ServerId server, int share) {
        Check.check(!waiting, "gift %d was not answered", sequence);
        waiting = true;
        target = share;
        if (offered == 0 && isShort()) {
            offered = target - left;
        }
        return GiveCreditsRequest.newBuilder()
                .setServerId(server.value())
                .setSequence(sequence)
                .setBlocks(offered)
                .build();
    }

    /** @return for how many blocks the shard has taken credits now */
    int answered(int leftNow, long nowMillis) {
        int given = offered;
        int used = held() - leftNow;
        use(used);
        left = leftNow;
        offered = 0;
        sequence++;
        waiting = false;
        askMillis = used > USED_MANY || isShort() ? ASK_MILLIS_MIN : Math.min(ASK_MILLIS_MAX, askMillis * 2);
        nextAskMillis = ranLowMeanwhile ? nowMillis : nowMillis + askMillis;
        ranLowMeanwhile = false;
        return given;
    }

    /** The same gift is sent again later. */
    void failed(long nowMillis) {
        waiting = false;
        ranLowMeanwhile = false;
        nextAskMillis = nowMillis + ASK_MILLIS_MAX;
    }

    /**
     * The shard says that few are left.
     *
     * @param answered the sequence of the newest message it has answered; what it says is news where that is the last
     *     one
     */
    void ranLow(long answered, int leftNow, long nowMillis) {
        nextAskMillis = nowMillis;
        ranLowMeanwhile = waiting;
        if (!waiting && offered == 0 && answered == sequence - 1 && leftNow < left) {
            use(left - leftNow);
            left = leftNow;
        }
    }

    private boolean isShort() {
        return left < target / 2 + target % 2;
    }

    private void use(int used) {
        wanted = Math.min(CREDITS_MAX, Math.max(USE_FACTOR * used, wanted / 2));
    }
}
