package io.tatami.meta.op.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.ReopenFileRequest;

/**
 * At its home, opens a file again whose name lives in another shard, which has checked that the caller may. The lease
 * remembers by which request of the session it was opened, so that a repeated one gets its answer again.
 */
public final class ReopenFile implements Operation<ShardState, ReopenFileRequest, AppendReply> {
    @Override
    public AppendReply decide(ShardState state, RequestContext context, ReopenFileRequest request)
            throws TatamiException, UnsettledException {
        FileId id = new FileId(request.getFileId());
        SessionId session = new SessionId(request.getSession());
        HomedFile file = HomedFile.find(state, id);
        if (file == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + id);
        }
        LeaseRecord lease = state.lease(session, id);
        if (lease != null
                && request.getNumber() > 0
                && lease.getOpenedBy() == request.getNumber()
                && file.home().getState() == HomeRecord.State.OPEN) {
            return Reopening.reply(state, file);
        }
        Reopening.requireClosed(file, file.home().getName());
        if (request.getReplication() > 0) {
            file.home().setReplication(request.getReplication());
        }
        RequestContext writer = new RequestContext(
                context.caller(), session, context.nowMillis(), context.settled(), context.cluster());
        LeaseRecord opened = LeaseRecord.newBuilder()
                .addAllAncestorId(request.getAncestorIdList())
                .setVersion(request.getVersion())
                .setOpenedBy(request.getNumber())
                .build();
        return Reopening.reopen(state, writer, file, opened, request.getNewBlock());
    }
}
