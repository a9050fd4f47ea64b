package io.tatami.block.service.registration;

import io.tatami.base.ServerId;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * The credits that a server gives all shards. What there may be in all follows from the room that is free; it is
 * divided by what shards use, each having {@link CreditLine#CREDITS_MIN} in any case as long as there is room at all,
 * because what one holds and does not use cannot be taken back. Not safe for use by many threads: {@link Registration}
 * owns it.
 */
final class CreditPool {
    /** The shortest blocks that credits are given for in crowds, as a part of the longest. */
    private static final int SHORT_PARTS = 64;

    private final long starts;
    private final long blockSizeBytes;
    private final List<CreditLine> lines = new ArrayList<>();
    private int[] shares = {};

    /**
     * @param starts of this server, as {@link IdentityFile} counts them
     * @param blockSizeBytes of the longest blocks
     */
    CreditPool(long starts, long blockSizeBytes) {
        this.starts = starts;
        this.blockSizeBytes = blockSizeBytes;
    }

    /** There are so many shards, or were more before. */
    void divideAmong(int shards) {
        while (lines.size() < shards) {
            lines.add(new CreditLine(starts));
        }
    }

    int shards() {
        return lines.size();
    }

    boolean isAnyDue(long nowMillis) {
        return lines.stream().anyMatch(line -> line.isDue(nowMillis));
    }

    boolean isDue(int shard, long nowMillis) {
        return lines.get(shard).isDue(nowMillis);
    }

    /**
     * Divides anew, by what shards have used until now. Credits are for as many of the longest blocks as fit, and for
     * what will be used before a shard is asked again. Who makes many blocks at a time makes short ones, each of which
     * takes next to nothing of what a credit stands for. Where this promises too much, a long block is refused when it
     * is written, and goes elsewhere.
     *
     * @param freeBytes on all volumes
     */
    void divide(long freeBytes) {
        long shortOnes = freeBytes * SHORT_PARTS / blockSizeBytes;
        if (shortOnes == 0) {
            shares = new int[lines.size()];
            return;
        }
        long longOnes = freeBytes / blockSizeBytes / lines.size();
        int least = (int) Math.max(CreditLine.CREDITS_MIN, Math.min(CreditLine.CREDITS_MAX, longOnes));
        shares = FairShares.of(
                lines.stream().mapToInt(line -> Math.max(least, line.wanted())).toArray(), shortOnes);
        long held = lines.stream().mapToLong(CreditLine::held).sum();
        for (int shard = 0; shard < shares.length; shard++) {
            long others = held - lines.get(shard).held();
            shares[shard] = (int) Math.max(CreditLine.CREDITS_MIN, Math.min(shares[shard], shortOnes - others));
        }
    }

    /** The next message to a shard, which must be answered by {@link #answered} or {@link #failed}. */
    GiveCreditsRequest request(ServerId server, int shard) {
        return lines.get(shard).request(server, shares[shard]);
    }

    /** @return for how many blocks the shard has taken credits now */
    int answered(int shard, int left, long nowMillis) {
        return lines.get(shard).answered(left, nowMillis);
    }

    void failed(int shard, long nowMillis) {
        lines.get(shard).failed(nowMillis);
    }

    /** A shard says that it has few left: it is due at once. */
    void ranLow(CreditsLowRequest request, long nowMillis) {
        if (request.getShard() >= 0 && request.getShard() < lines.size()) {
            lines.get(request.getShard()).ranLow(request.getSequence(), request.getLeft(), nowMillis);
        }
    }
}
