package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.NeedRecord;
import io.tatami.meta.state.wire.NeedsPage;
import io.tatami.meta.state.wire.NeedsPageRequest;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A page of the blocks that wait in one class, in the order of their ids; or of those of a server that wait for
 * nothing; or some blocks by name.
 */
public final class ReadNeeds implements Operation<ShardState, NeedsPageRequest, NeedsPage> {
    @Override
    public NeedsPage decide(ShardState state, RequestContext context, NeedsPageRequest request) {
        NeededBlocks blocks = new NeededBlocks(state);
        NeedsPage.Builder page = NeedsPage.newBuilder();
        for (long block : request.getBlockIdList()) {
            page.addItem(blocks.find(new BlockId(block)));
        }
        if (request.getServerId() != 0) {
            ofServer(state, request, blocks, page);
        } else if (request.getBlockIdCount() == 0) {
            waiting(state, request).forEach((block, index) -> page.addItem(blocks.find(block, index)));
        }
        return page.build();
    }

    private static void ofServer(
            ShardState state, NeedsPageRequest request, NeededBlocks blocks, NeedsPage.Builder page) {
        ServerId server = new ServerId(request.getServerId());
        byte[] from = Keys.replica(server, new BlockId(request.getAfterBlockId() + 1));
        int looked = 0;
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(Keys.replicas(server)))) {
            while (looked < request.getLimit() && cursor.next()) {
                BlockId block = new BlockId(Keys.blockOfReplica(cursor.key()));
                looked++;
                page.setUpToBlockId(block.value());
                if (state.needs().urgency(block) == null) {
                    page.addItem(blocks.find(block));
                }
            }
        }
        if (looked < request.getLimit()) {
            page.clearUpToBlockId();
        }
    }

    private static Map<BlockId, Integer> waiting(ShardState state, NeedsPageRequest request) {
        Map<BlockId, Integer> waiting = new LinkedHashMap<>();
        byte[] from = Keys.need(request.getUrgency(), new BlockId(request.getAfterBlockId() + 1));
        byte[] to = Keys.after(Keys.needs(request.getUrgency()));
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (waiting.size() < request.getLimit() && cursor.next()) {
                NeedRecord need = ShardState.parse(cursor.value(), NeedRecord.parser());
                waiting.put(Keys.blockOfNeed(cursor.key()), need.getIndex());
            }
        }
        return waiting;
    }
}
