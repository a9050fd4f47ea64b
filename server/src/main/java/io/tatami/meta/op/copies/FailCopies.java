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
import io.tatami.meta.state.wire.FailCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.protocol.wire.Empty;
import java.util.List;

/**
 * Forgets intended copies of which nothing was heard. A server may make one nevertheless: it is to delete what it has
 * under that number.
 */
public final class FailCopies implements Operation<ShardState, FailCopiesRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, FailCopiesRequest request) {
        NeededBlocks blocks = new NeededBlocks(state);
        for (FailCopiesRequest.Item item : request.getItemList()) {
            NeededBlock needed = blocks.find(new BlockId(item.getBlockId()));
            Copy copy = new Copy(new ServerId(item.getServerId()), item.getCopyNumber());
            if (forget(state, needed, copy)) {
                FileRemoval.queue(state, needed.getBlock(), List.of(copy));
            }
        }
        return Empty.getDefaultInstance();
    }

    /**
     * An intended copy is not waited for any more.
     *
     * @param needed as it is now
     * @return whether it was intended
     */
    static boolean forget(ShardState state, NeededBlock needed, Copy copy) {
        if (!needed.hasBlock() || !BlockCopies.intended(needed.getBlock()).contains(copy)) {
            return false;
        }
        BlockId block = new BlockId(needed.getBlockId());
        FileId file = new FileId(needed.getFileId());
        BlockRecord.Builder record = needed.getBlock().toBuilder();
        BlockCopies.of(record).remove(copy.server());
        state.changeBlock(file, needed.getIndex(), record.build());
        state.removeReplica(copy.server(), block);
        state.needs().look(block, file, needed.getIndex());
        return true;
    }
}
