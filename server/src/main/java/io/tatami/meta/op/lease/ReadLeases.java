package io.tatami.meta.op.lease;

import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ReadLeasesReply;
import io.tatami.meta.state.wire.ReadLeasesRequest;
import java.util.Arrays;

/**
 * A page of the leases of a shard, by session and file; under session 0 stand the files that are being recovered or
 * cut. First leases are told apart from those that have records, and only those of files that are unwritten still.
 * Changes nothing.
 */
public final class ReadLeases implements Operation<ShardState, ReadLeasesRequest, ReadLeasesReply> {
    static final int LIMIT_MAX = 1_000;

    @Override
    public ReadLeasesReply decide(ShardState state, RequestContext context, ReadLeasesRequest request) {
        long afterSession = request.hasSession() ? request.getSession() : request.getAfterSession();
        byte[] after = key(request.getFirst(), new SessionId(afterSession), new FileId(request.getAfterFileId()));
        byte[] prefix = prefix(request);
        int limit = Math.min(request.getLimit(), LIMIT_MAX);
        ReadLeasesReply.Builder reply = ReadLeasesReply.newBuilder();
        try (View.Cursor cursor = state.draft().scan(Arrays.copyOf(after, after.length + 1), Keys.after(prefix))) {
            while (cursor.next()) {
                if (request.getFirst() && cursor.value().length == 0) {
                    continue;
                }
                if (reply.getLeaseCount() == limit) {
                    return reply.setMore(true).build();
                }
                reply.addLease(ReadLeasesReply.Lease.newBuilder()
                        .setSession(Keys.idOf(cursor.key()))
                        .setFileId(Keys.secondIdOf(cursor.key())));
            }
        }
        return reply.build();
    }

    private static byte[] prefix(ReadLeasesRequest request) {
        if (!request.hasSession()) {
            return request.getFirst() ? Keys.volatiles() : Keys.kind('l');
        }
        SessionId session = new SessionId(request.getSession());
        return request.getFirst() ? Keys.firstLeases(session) : Keys.leases(session);
    }

    private static byte[] key(boolean first, SessionId session, FileId file) {
        return first ? Keys.firstLease(session, file) : Keys.lease(session, file);
    }
}
