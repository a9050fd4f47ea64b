package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.CountCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.TotalsRecord;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.StuckBlock;

/**
 * Counts what a shard has on a block server, and what waits. A server's blocks are walked over, {@value #COUNTED_MAX}
 * at most.
 */
public final class CountCopies implements Operation<ShardState, CountCopiesRequest, CopiesStatusReply> {
    /** Some tenths of a second of a reader's time. */
    static final int COUNTED_MAX = 1_000_000;

    /** Blocks of a server that are named. */
    static final int NAMED_MAX = 32;

    @Override
    public CopiesStatusReply decide(ShardState state, RequestContext context, CountCopiesRequest request) {
        TotalsRecord totals = Totals.of(state.draft());
        CopiesStatusReply.Builder status = CopiesStatusReply.newBuilder()
                .setLastCopyBlocks(Totals.waiting(totals, Urgency.LAST_COPY))
                .setUnderReplicatedBlocks(Totals.waiting(totals, Urgency.UNDER_REPLICATED)
                        + Totals.waiting(totals, Urgency.UNSCHEDULABLE))
                .setUnjudgedBlocks(Totals.waiting(totals, Urgency.UNJUDGED));
        if (request.getServerId() != 0) {
            count(state, request, status);
        }
        return status.build();
    }

    private static void count(ShardState state, CountCopiesRequest request, CopiesStatusReply.Builder status) {
        ServerId server = new ServerId(request.getServerId());
        long held = 0;
        long others = 0;
        NeededBlocks blocks = new NeededBlocks(state);
        byte[] prefix = Keys.replicas(server);
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (held + others < COUNTED_MAX && !isKept(request, status, held + others) && cursor.next()) {
                if (ShardState.parse(cursor.value(), ReplicaRecord.parser()).getHeld()) {
                    held++;
                } else {
                    others++;
                }
                if (request.getGivenUp() && !status.getIsBeingCopied()) {
                    status.setIsBeingCopied(waits(state, new BlockId(Keys.blockOfReplica(cursor.key()))));
                }
                if (status.getStuckCount() < NAMED_MAX) {
                    status.addStuck(named(blocks, new BlockId(Keys.blockOfReplica(cursor.key()))));
                }
            }
            if (request.getGivenUp() && held + others == COUNTED_MAX) {
                status.setIsBeingCopied(true);
            }
        }
        status.setHeldBlocks(held).setOpenBlocks(others).setDrained(held + others == 0 && state.isFoundEmpty(server));
    }

    /** Whether no more is to be known. */
    private static boolean isKept(CountCopiesRequest request, CopiesStatusReply.Builder status, long counted) {
        return request.getOnlyWhetherDrained() && (request.getGivenUp() ? status.getIsBeingCopied() : counted > 0);
    }

    /** Whether something can be done for the block, and was not. */
    private static boolean waits(ShardState state, BlockId block) {
        Urgency urgency = state.needs().urgency(block);
        return urgency != null && urgency != Urgency.UNSCHEDULABLE;
    }

    private static StuckBlock named(NeededBlocks blocks, BlockId block) {
        NeededBlock found = blocks.find(block);
        boolean isWritten = !found.hasBlock() && found.getFileId() != 0;
        return StuckBlock.newBuilder()
                .setBlockId(block.value())
                .setFileId(found.getFileId())
                .setReason(
                        isWritten
                                ? "it is being written: it is copied when its file is closed, or the writer's lease ends"
                                : "")
                .build();
    }
}
