package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ExpandFileNeedReply;
import io.tatami.meta.state.wire.ExpandFileNeedRequest;
import io.tatami.meta.state.wire.FileNeedRecord;
import io.tatami.meta.state.wire.HomeRecord;

/**
 * Queues the next blocks of the first file that waits. Blocks that are not final are queued when they are, as all
 * blocks then are.
 */
public final class ExpandFileNeed implements Operation<ShardState, ExpandFileNeedRequest, ExpandFileNeedReply> {
    @Override
    public ExpandFileNeedReply decide(ShardState state, RequestContext context, ExpandFileNeedRequest request) {
        FileId file = FileId.NONE;
        FileNeedRecord need = FileNeedRecord.getDefaultInstance();
        byte[] prefix = Keys.fileNeeds();
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            if (!cursor.next()) {
                return ExpandFileNeedReply.newBuilder().setDone(true).build();
            }
            file = Keys.fileOfNeed(cursor.key());
            need = ShardState.parse(cursor.value(), FileNeedRecord.parser());
        }
        if (state.needs().count() >= request.getWaitingMax()) {
            return ExpandFileNeedReply.newBuilder().setFull(true).build();
        }
        HomeRecord home = state.home(file);
        int blocks = home == null ? 0 : home.getBlocks();
        int end = (int) Math.min(blocks, (long) need.getNextIndex() + request.getLimit());
        for (int index = need.getNextIndex(); index < end; index++) {
            BlockRecord block = state.block(file, index);
            if (block != null && !block.getOpen()) {
                state.needs().look(new BlockId(block.getBlockId()), file, index);
            }
        }
        state.needs().lookedAtFile(file, end < blocks ? end : -1);
        return ExpandFileNeedReply.getDefaultInstance();
    }
}
