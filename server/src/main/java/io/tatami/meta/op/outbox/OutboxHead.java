package io.tatami.meta.op.outbox;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.OutboxPage;
import io.tatami.meta.state.wire.OutboxPageRequest;
import io.tatami.protocol.wire.OutboxDelivery;

/** The oldest messages that wait for one group, in order. */
public final class OutboxHead implements Operation<ShardState, OutboxPageRequest, OutboxPage> {
    @Override
    public OutboxPage decide(ShardState state, RequestContext context, OutboxPageRequest request) {
        OutboxPage.Builder page = OutboxPage.newBuilder();
        byte[] from = Keys.outbox(request.getToGroup(), request.getAfter() + 1);
        byte[] to = Keys.outbox(request.getToGroup(), Long.MAX_VALUE);
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (page.getMessageCount() < request.getLimit() && cursor.next()) {
                page.addMessage(ShardState.parse(cursor.value(), OutboxDelivery.parser()));
            }
        }
        return page.build();
    }
}
