package io.tatami.meta.op.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.GetBlocksReply;
import io.tatami.protocol.wire.GetBlocksRequest;

/**
 * The content of a file, told by its home to who has found its name in another shard: length, blocks or inline bytes, and
 * when it changed. Owner and permissions are with the name. Changes nothing.
 */
public final class GetBlocks implements Operation<ShardState, GetBlocksRequest, GetBlocksReply> {
    @Override
    public GetBlocksReply decide(ShardState state, RequestContext context, GetBlocksRequest request)
            throws TatamiException {
        FileId file = new FileId(request.getFileId());
        HomeRecord home = state.home(file);
        if (home == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + file);
        }
        return GetBlocksReply.newBuilder()
                .setStatus(FileStatus.ofHome(state, file, home))
                .build();
    }
}
