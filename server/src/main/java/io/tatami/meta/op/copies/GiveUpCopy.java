package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.GiveUpCopyReply;
import io.tatami.meta.state.wire.GiveUpCopyRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.BlockServerInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * Gives up one copy of a block, which is deleted by its number after that. Only where the block is as it was when that
 * was judged, and enough other copies were confirmed by their servers, each by the process that the map tells of now.
 * The map must have been asked for less than {@value #MAP_AGE_MILLIS_MAX} ms ago: an older one may not know yet that
 * those servers have died.
 */
public final class GiveUpCopy implements Operation<ShardState, GiveUpCopyRequest, GiveUpCopyReply> {
    /** So long a server is silent before the map calls it stale: what the map says then was true a moment ago. */
    public static final long MAP_AGE_MILLIS_MAX = 10_000;

    private final LongSupplier monotonicNanos;

    /** @param monotonicNanos of the process that has asked for the map */
    public GiveUpCopy(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
    }

    @Override
    public GiveUpCopyReply decide(ShardState state, RequestContext context, GiveUpCopyRequest request) {
        NeededBlock seen = request.getSeen();
        ServerId server = new ServerId(request.getServerId());
        Optional<Copy> copy = BlockCopies.on(seen.getBlock(), server);
        boolean givenUp = copy.isPresent()
                && isFresh(request)
                && new NeededBlocks(state).unchanged(seen) != null
                && confirmed(context, request).size() >= needed(request, copy.get());
        if (givenUp) {
            giveUp(state, seen, copy.get());
        }
        return GiveUpCopyReply.newBuilder().setGivenUp(givenUp).build();
    }

    /** The wall clock may jump, and would make an old map a fresh one. */
    private boolean isFresh(GiveUpCopyRequest request) {
        long ageMillis = Duration.ofNanos(monotonicNanos.getAsLong() - request.getMapAskedNanos())
                .toMillis();
        return ageMillis >= 0 && ageMillis <= MAP_AGE_MILLIS_MAX;
    }

    /** A copy that counts and with which nothing is wrong goes only where there are as many others as are wanted. */
    private static int needed(GiveUpCopyRequest request, Copy copy) {
        NeededBlock seen = request.getSeen();
        List<Copy> all = BlockCopies.all(seen.getBlock());
        boolean counts = BlockCopies.counted(seen.getBlock()).contains(copy);
        boolean sound = seen.getProblem(all.indexOf(copy)) == Problem.NONE;
        int least = counts && sound ? seen.getWanted() : 1;
        return Math.max(least, request.getNeeded());
    }

    private static Set<ServerId> confirmed(RequestContext context, GiveUpCopyRequest request) {
        NeededBlock seen = request.getSeen();
        List<Copy> counted = BlockCopies.counted(seen.getBlock());
        Set<ServerId> confirmed = new TreeSet<>();
        for (GiveUpCopyRequest.Confirmed answer : request.getConfirmedList()) {
            for (int i = 0; i < counted.size(); i++) {
                if (counted.get(i).server().value() == answer.getServerId()
                        && seen.getProblem(i) == Problem.NONE
                        && answer.getServerId() != request.getServerId()
                        && isPresent(context, answer)) {
                    confirmed.add(counted.get(i).server());
                }
            }
        }
        return confirmed;
    }

    /** Whether the process that answered is the server's present one. */
    private static boolean isPresent(RequestContext context, GiveUpCopyRequest.Confirmed answer) {
        for (BlockServerInfo info : context.cluster().getBlockServerList()) {
            if (info.getServerId() == answer.getServerId()) {
                return info.getIncarnation() == answer.getIncarnation()
                        && info.getState() != BlockServerInfo.State.DEAD
                        && info.getState() != BlockServerInfo.State.GONE;
            }
        }
        return false;
    }

    private static void giveUp(ShardState state, NeededBlock seen, Copy copy) {
        BlockId block = new BlockId(seen.getBlockId());
        FileId file = new FileId(seen.getFileId());
        BlockRecord.Builder record = seen.getBlock().toBuilder();
        BlockCopies.of(record).remove(copy.server());
        state.changeBlock(file, seen.getIndex(), record.build());
        FileRemoval.reclaim(state, seen.getBlock(), List.of(copy));
        state.needs().look(block, file, seen.getIndex());
    }
}
