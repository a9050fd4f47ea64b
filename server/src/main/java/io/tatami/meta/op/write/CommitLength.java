package io.tatami.meta.op.write;

import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.Empty;

/**
 * Takes what a writer has on the devices of its servers: from here on no recovery closes the file shorter. Lengths only
 * rise, so that a request that is repeated or late does no harm.
 */
public final class CommitLength implements Operation<ShardState, CommitLengthRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, CommitLengthRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = Writer.requireBegun(state, context, new FileId(request.getFileId()), request.getRecoveryId());
        Writer.take(state, file, file.openBlocks(), request.getWrittenList(), false);
        file.save();
        return Empty.getDefaultInstance();
    }
}
