package io.tatami.meta.op.reclaim;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.QueuedReclaim;
import io.tatami.meta.state.wire.ReclaimPage;
import io.tatami.meta.state.wire.ReclaimPageRequest;
import io.tatami.meta.state.wire.ReclaimRecord;

/** A page of what waits to be reclaimed, oldest first. */
public final class ReclaimQueue implements Operation<ShardState, ReclaimPageRequest, ReclaimPage> {
    @Override
    public ReclaimPage decide(ShardState state, RequestContext context, ReclaimPageRequest request) {
        ReclaimPage.Builder page = ReclaimPage.newBuilder();
        byte[] from = Keys.reclaim(request.getAfter() + 1);
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(Keys.kind('q')))) {
            while (page.getItemCount() < request.getLimit() && cursor.next()) {
                page.addItem(QueuedReclaim.newBuilder()
                        .setNumber(Keys.idOf(cursor.key()))
                        .setRecord(ShardState.parse(cursor.value(), ReclaimRecord.parser())));
            }
        }
        return page.build();
    }
}
