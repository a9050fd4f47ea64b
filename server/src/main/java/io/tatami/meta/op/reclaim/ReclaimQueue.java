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

/**
 * A page of what waits to be reclaimed, oldest first: of all, or of what one block server is to delete. At most
 * {@value #LOOKED_AT_MAX} records are looked at, so a page of one server may be short.
 */
public final class ReclaimQueue implements Operation<ShardState, ReclaimPageRequest, ReclaimPage> {
    static final int LOOKED_AT_MAX = 4_096;

    @Override
    public ReclaimPage decide(ShardState state, RequestContext context, ReclaimPageRequest request) {
        ReclaimPage.Builder page = ReclaimPage.newBuilder().setUpTo(request.getAfter());
        byte[] from = Keys.reclaim(request.getAfter() + 1);
        byte[] to = request.getLast() == 0 ? Keys.after(Keys.kind('q')) : Keys.reclaim(request.getLast() + 1);
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            int lookedAt = 0;
            while (page.getItemCount() < request.getLimit() && lookedAt < LOOKED_AT_MAX) {
                if (!cursor.next()) {
                    return page.setIsLast(true).build();
                }
                lookedAt++;
                long number = Keys.idOf(cursor.key());
                ReclaimRecord record = ShardState.parse(cursor.value(), ReclaimRecord.parser());
                page.setUpTo(number);
                if (request.getServerId() == 0 || record.getServerIdList().contains(request.getServerId())) {
                    page.addItem(QueuedReclaim.newBuilder().setNumber(number).setRecord(record));
                }
            }
        }
        return page.build();
    }
}
