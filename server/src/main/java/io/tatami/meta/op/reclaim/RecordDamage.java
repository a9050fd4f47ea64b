package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;

/**
 * Writes down which copies a server has found damaged, as {@link RecordAudit} does hours later; only a round that
 * begins after this says that one is sound again. Copies that the shard does not know there are passed over: their
 * block was deleted, the server has another copy since, or the copy is not recorded yet, and an audit tells of it.
 */
public final class RecordDamage implements Operation<ShardState, DamagedCopiesRequest, Empty> {
    /** How many blocks a request may name. */
    public static final int BLOCKS_MAX = 256;

    @Override
    public Empty decide(ShardState state, RequestContext context, DamagedCopiesRequest request) throws TatamiException {
        if (request.getBlockIdCount() > BLOCKS_MAX) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    request.getBlockIdCount() + " damaged blocks in one request; the limit is " + BLOCKS_MAX);
        }
        ServerId server = new ServerId(request.getServerId());
        for (int place = 0; place < request.getBlockIdCount(); place++) {
            BlockId block = new BlockId(request.getBlockId(place));
            // A server of an older release tells no numbers.
            boolean isKnown = place >= request.getCopyNumberCount()
                    || Disown.isKnown(state, server, block, request.getCopyNumber(place));
            ReplicaRecord replica = state.replica(server, block);
            if (replica != null && isKnown) {
                boolean unused =
                        RecordAudit.record(state, server, block, replica, Problem.DAMAGED, state.newestAuditRound());
            }
        }
        return Empty.getDefaultInstance();
    }
}
