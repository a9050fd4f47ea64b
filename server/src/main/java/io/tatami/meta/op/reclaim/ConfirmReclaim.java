package io.tatami.meta.op.reclaim;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.Empty;
import java.util.ArrayList;
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
            List<Integer> left = new ArrayList<>(queued.getServerIdList());
            left.remove(Integer.valueOf(request.getServerId()));
            if (left.isEmpty()) {
                state.removeReclaim(number);
            } else {
                state.putReclaim(
                        number,
                        queued.toBuilder().clearServerId().addAllServerId(left).build());
            }
        }
        return Empty.getDefaultInstance();
    }
}
