package io.tatami.meta.op.outbox;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.AckOutboxRequest;
import io.tatami.protocol.wire.Empty;
import java.util.ArrayList;
import java.util.List;

/** Drops the messages that their group has applied. */
public final class AckOutbox implements Operation<ShardState, AckOutboxRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, AckOutboxRequest request) {
        List<byte[]> applied = new ArrayList<>();
        byte[] from = Keys.outbox(request.getToGroup(), request.getAfter() + 1);
        byte[] to = Keys.outbox(request.getToGroup(), request.getUpTo() + 1);
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (cursor.next()) {
                applied.add(cursor.key());
            }
        }
        applied.forEach(state.draft()::delete);
        return Empty.getDefaultInstance();
    }
}
