package io.tatami.meta.op.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FileName;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.GetBlocksRequest;

/** Where a file's permissions are: under the name that its home has last heard of. Changes nothing. */
public final class FindName implements Operation<ShardState, GetBlocksRequest, FileName> {
    @Override
    public FileName decide(ShardState state, RequestContext context, GetBlocksRequest request) throws TatamiException {
        FileId file = new FileId(request.getFileId());
        HomeRecord home = state.home(file);
        if (home == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + file);
        }
        return FileName.newBuilder()
                .setGroup(home.getEntryGroup())
                .setParentId(home.getParentId())
                .setName(home.getName())
                .build();
    }
}
