package io.tatami.meta.op.reclaim;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.Empty;
import java.util.List;

/** A server has no copy any more of these blocks; what no server has is off the queue. */
public final class ConfirmReclaim implements Operation<ShardState, ConfirmReclaimRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, ConfirmReclaimRequest request) {
        for (long number : request.getNumberList()) {
            ReclaimRecord queued = state.reclaim(number);
            if (queued == null) {
                continue;
            }
            List<Copy> left = BlockCopies.reclaimed(queued).stream()
                    .filter(copy -> copy.server().value() != request.getServerId())
                    .toList();
            if (left.isEmpty()) {
                state.removeReclaim(number);
            } else {
                ReclaimRecord.Builder rest = queued.toBuilder();
                BlockCopies.setReclaimed(rest, left);
                state.putReclaim(number, rest.build());
            }
        }
        return Empty.getDefaultInstance();
    }
}
