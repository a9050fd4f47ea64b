package io.tatami.meta.op.rename;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;

/**
 * At the destination of a move: how it stands, by what is durable here. No record means aborted; so does a commit that
 * was made with another mark than the one asked about.
 */
public final class MoveStatus implements Operation<ShardState, MoveStatusRequest, MoveStatusReply> {
    @Override
    public MoveStatusReply decide(ShardState state, RequestContext context, MoveStatusRequest request) {
        TransactionRecord move = state.transaction(new TransactionId(request.getTransactionId()));
        if (move == null || !move.getDestination()) {
            return MoveStatusReply.getDefaultInstance();
        }
        return MoveStatusReply.newBuilder()
                .setPending(!move.getCommitted())
                .setCommitted(move.getCommitted() && move.getMark() == request.getMark())
                .build();
    }
}
