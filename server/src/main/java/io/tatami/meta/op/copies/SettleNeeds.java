package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.SettleNeedsRequest;
import io.tatami.protocol.wire.Empty;

/**
 * Takes blocks that were judged off the queue, or puts them in another class. A block that has changed since it was
 * seen stays where it is, and is judged again.
 */
public final class SettleNeeds implements Operation<ShardState, SettleNeedsRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, SettleNeedsRequest request) {
        NeededBlocks blocks = new NeededBlocks(state);
        for (SettleNeedsRequest.Item item : request.getItemList()) {
            BlockId block = new BlockId(item.getSeen().getBlockId());
            if (blocks.unchanged(item.getSeen()) == null) {
                continue;
            }
            if (item.getDone()) {
                state.needs().remove(block);
            } else {
                put(state, item.getSeen(), Urgency.of(item.getUrgency()));
            }
        }
        return Empty.getDefaultInstance();
    }

    /** Without effect where the block waits there already. */
    static void put(ShardState state, NeededBlock needed, Urgency urgency) {
        BlockId block = new BlockId(needed.getBlockId());
        if (state.needs().urgency(block) != urgency) {
            state.needs().put(block, urgency, new FileId(needed.getFileId()), needed.getIndex());
        }
    }
}
