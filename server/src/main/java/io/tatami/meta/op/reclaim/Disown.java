package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.DisownReply;
import io.tatami.meta.state.wire.DisownRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import org.jspecify.annotations.Nullable;

/**
 * Queues copies to be reclaimed that two rounds of an audit found on a server without this shard knowing of them. What
 * the rounds saw may be old, so each block is looked at once more: only one that this shard minted in its present epoch
 * and has neither as held nor as intended on that server, or there with another copy number, is disowned, up to the
 * generation that is good elsewhere. From then on the server is a holder only by a new intent, which has a higher copy
 * number.
 */
public final class Disown implements Operation<ShardState, DisownRequest, DisownReply> {
    @Override
    public DisownReply decide(ShardState state, RequestContext context, DisownRequest request) {
        ServerId server = new ServerId(request.getServerId());
        int disowned = 0;
        if (request.getRestoreEpoch() != state.group().getRestoreEpoch()) {
            return DisownReply.getDefaultInstance();
        }
        for (int place = 0; place < request.getBlockIdCount(); place++) {
            BlockId block = new BlockId(request.getBlockId(place));
            int number = place < request.getCopyNumberCount() ? request.getCopyNumber(place) : 0;
            BlockRecord record = record(state, block);
            if (state.hasMinted(block) && !isKnown(state, record, server, block, number)) {
                ReclaimRecord.Builder stray = ReclaimRecord.newBuilder()
                        .setBlockId(block.value())
                        // Of a block that no file has: the highest, for whatever copy there is.
                        .setGeneration(record == null ? Generation.MAX.value() : record.getGeneration())
                        .addServerId(server.value());
                if (number != 0) {
                    stray.addCopyNumber(number);
                }
                state.addReclaim(stray.build());
                disowned++;
            }
        }
        return DisownReply.newBuilder().setDisowned(disowned).build();
    }

    /**
     * Whether the server is to have this copy. Where it is to have some copy of a block without a record, that may be
     * any.
     */
    static boolean isKnown(ShardState state, ServerId server, BlockId block, int number) {
        return isKnown(state, record(state, block), server, block, number);
    }

    private static boolean isKnown(
            ShardState state, @Nullable BlockRecord record, ServerId server, BlockId block, int number) {
        if (state.replica(server, block) == null) {
            return false;
        }
        return record == null
                || BlockCopies.on(record, server)
                        .map(copy -> copy.number() == number)
                        .orElse(true);
    }

    private static @Nullable BlockRecord record(ShardState state, BlockId block) {
        FileId file = state.fileOf(block);
        return file == null
                ? null
                : state.blocks(file).stream()
                        .filter(record -> record.getBlockId() == block.value())
                        .findFirst()
                        .orElse(null);
    }
}
