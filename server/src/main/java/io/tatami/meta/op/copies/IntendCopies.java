package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.IntendCopiesReply;
import io.tatami.meta.state.wire.IntendCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;

/**
 * Writes down which servers are to make copies of blocks, each copy under a number of its own; it is asked for only
 * after that. A block that has changed since it was judged gets none.
 */
public final class IntendCopies implements Operation<ShardState, IntendCopiesRequest, IntendCopiesReply> {
    @Override
    public IntendCopiesReply decide(ShardState state, RequestContext context, IntendCopiesRequest request) {
        NeededBlocks blocks = new NeededBlocks(state);
        IntendCopiesReply.Builder reply = IntendCopiesReply.newBuilder();
        for (IntendCopiesRequest.Item item : request.getItemList()) {
            NeededBlock seen = item.getSeen();
            if (!seen.hasBlock() || blocks.unchanged(seen) == null) {
                continue;
            }
            intend(state, item);
            SettleNeeds.put(state, seen, Urgency.of(item.getUrgency()));
            reply.addItem(blocks.find(new BlockId(seen.getBlockId()), seen.getIndex()));
        }
        return reply.build();
    }

    private static void intend(ShardState state, IntendCopiesRequest.Item item) {
        NeededBlock seen = item.getSeen();
        BlockId block = new BlockId(seen.getBlockId());
        FileId file = new FileId(seen.getFileId());
        BlockRecord.Builder record = seen.getBlock().toBuilder();
        BlockCopies copies = BlockCopies.of(record);
        for (ServerId server : ServerId.listOf(item.getServerIdList())) {
            if (BlockCopies.on(record, server).isPresent()) {
                continue;
            }
            copies.intend(server);
            state.putReplica(server, block, state.replicaFromNow(file, false));
        }
        state.changeBlock(file, seen.getIndex(), record.build());
    }
}
