package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.DisownReply;
import io.tatami.meta.state.wire.DisownRequest;
import io.tatami.meta.state.wire.ReclaimRecord;

/**
 * Queues copies to be reclaimed that two rounds of an audit found on a server without this shard knowing of them. What
 * the rounds saw may be old, so each block is looked at once more: only one that this shard minted in its present epoch
 * and has neither as held nor as intended on that server is disowned, up to the generation that is good elsewhere. From
 * then on the server is a holder only by a new intent, which has a newer generation.
 */
public final class Disown implements Operation<ShardState, DisownRequest, DisownReply> {
    @Override
    public DisownReply decide(ShardState state, RequestContext context, DisownRequest request) {
        ServerId server = new ServerId(request.getServerId());
        int disowned = 0;
        if (request.getRestoreEpoch() != state.group().getRestoreEpoch()) {
            return DisownReply.getDefaultInstance();
        }
        for (long id : request.getBlockIdList()) {
            BlockId block = new BlockId(id);
            if (isOurs(state, block) && state.replica(server, block) == null) {
                state.addReclaim(ReclaimRecord.newBuilder()
                        .setBlockId(id)
                        .setGeneration(goodGeneration(state, block).value())
                        .addServerId(server.value())
                        .build());
                disowned++;
            }
        }
        return DisownReply.newBuilder().setDisowned(disowned).build();
    }

    /**
     * A block id minted here has the epoch in its upper bits, so one of an older epoch sorts below all of this one's.
     */
    private static boolean isOurs(ShardState state, BlockId block) {
        BlockId oldest = BlockId.of(state.group().getGroup(), state.group().getRestoreEpoch(), 1);
        return block.home().equals(state.id())
                && block.value() >= oldest.value()
                && block.value() <= state.newestBlock().value();
    }

    /** Of a block that no file has: the highest, for whatever copy there is. */
    private static Generation goodGeneration(ShardState state, BlockId block) {
        FileId file = state.fileOf(block);
        if (file == null) {
            return Generation.MAX;
        }
        for (BlockRecord record : state.blocks(file)) {
            if (record.getBlockId() == block.value()) {
                return Generation.of(record.getGeneration());
            }
        }
        return Generation.MAX;
    }
}
