package io.tatami.meta.op.lease;

import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.RenewLeasesReply;
import io.tatami.protocol.wire.RenewLeasesRequest;

/**
 * Tells a session which of the files it believes to write it has lost. How long a lease lasts is no matter of the state
 * but of the leader's clock; changes nothing.
 */
public final class RenewLeases implements Operation<ShardState, RenewLeasesRequest, RenewLeasesReply> {
    @Override
    public RenewLeasesReply decide(ShardState state, RequestContext context, RenewLeasesRequest request) {
        RenewLeasesReply.Builder reply = RenewLeasesReply.newBuilder();
        for (long file : request.getFileIdList()) {
            if (!mayWrite(state, context.session(), new FileId(file))) {
                reply.addLostFileId(file);
            }
        }
        return reply.build();
    }

    /** Also where its first lease has gone with an earlier leader. */
    private static boolean mayWrite(ShardState state, SessionId session, FileId file) {
        if (state.lease(session, file) != null) {
            return true;
        }
        HomeRecord home = state.home(file);
        return home != null
                && home.getState() == HomeRecord.State.UNWRITTEN
                && home.getWriterSession() == session.value();
    }
}
