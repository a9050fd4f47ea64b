package io.tatami.meta.op.rename;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FinishMovesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;

/** The last step of many renames across shards at once, at their source; each as {@link FinishMove}. */
public final class FinishMoves implements Operation<ShardState, FinishMovesRequest, Empty> {
    private static final FinishMove FINISH = new FinishMove();

    @Override
    public Empty decide(ShardState state, RequestContext context, FinishMovesRequest request) {
        for (FinishMoveRequest move : request.getMoveList()) {
            Empty unused = FINISH.decide(state, context, move);
        }
        return Empty.getDefaultInstance();
    }
}
