package io.tatami.meta.op.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.TruncateReply;

/**
 * At its home, cuts a file whose name lives in another shard, which has checked that the caller may. A repeated request
 * finds the file as long as it asks for.
 */
public final class CutFile implements Operation<ShardState, CutFileRequest, TruncateReply> {
    @Override
    public TruncateReply decide(ShardState state, RequestContext context, CutFileRequest request)
            throws TatamiException, UnsettledException {
        FileId id = new FileId(request.getFileId());
        HomedFile file = HomedFile.find(state, id);
        if (file == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + id);
        }
        HomeRecord.Builder home = file.home();
        if (home.getState() == HomeRecord.State.TRUNCATING && home.getTruncateLength() == request.getLength()) {
            return TruncateReply.newBuilder().setFileId(id.value()).build();
        }
        Reopening.requireClosed(file, home.getName());
        return TruncateReply.newBuilder()
                .setFileId(id.value())
                .setDone(Cutting.cut(state, file, request.getLength(), context.nowMillis()))
                .build();
    }
}
