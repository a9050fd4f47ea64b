package io.tatami.meta.op.rename;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ListMovesReply;
import io.tatami.meta.state.wire.ListMovesRequest;
import io.tatami.meta.state.wire.OpenMove;
import io.tatami.meta.state.wire.TransactionRecord;

/** The moves that have not ended, at most {@value #MOVES_MAX}, oldest first: what a shard looks through by itself. */
public final class ListMoves implements Operation<ShardState, ListMovesRequest, ListMovesReply> {
    static final int MOVES_MAX = 1_024;

    @Override
    public ListMovesReply decide(ShardState state, RequestContext context, ListMovesRequest request) {
        ListMovesReply.Builder reply = ListMovesReply.newBuilder();
        byte[] kind = Keys.kind('t');
        try (View.Cursor cursor = state.draft().scan(kind, Keys.after(kind))) {
            while (reply.getMoveCount() < MOVES_MAX && cursor.next()) {
                TransactionRecord record = ShardState.parse(cursor.value(), TransactionRecord.parser());
                if (record.getDestination() == request.getDestination()) {
                    reply.addMove(OpenMove.newBuilder()
                            .setTransactionId(Keys.idOf(cursor.key()))
                            .setRecord(record));
                }
            }
        }
        return reply.build();
    }
}
