package io.tatami.meta.op.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.Grant;
import java.util.List;

/**
 * Grants a writer further blocks, and records the final lengths of the earlier ones. Fails with NO_SPACE or BUSY if not
 * one block can be placed; then nothing of the request remains. The entry learns the length only at the close: a reader
 * of an open file asks the home.
 */
public final class AddBlocks implements Operation<ShardState, AddBlocksRequest, AddBlocksReply> {
    private final WriterLoads writers;

    /** Of a shard that counts no writers. */
    public AddBlocks() {
        this(WriterLoads.NONE);
    }

    public AddBlocks(WriterLoads writers) {
        this.writers = writers;
    }

    @Override
    public AddBlocksReply decide(ShardState state, RequestContext context, AddBlocksRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = Writer.requireBegun(state, context, new FileId(request.getFileId()), request.getRecoveryId());
        List<OpenBlock> open = file.openBlocks();
        List<OpenBlock> left = Writer.take(state, file, open, request.getWrittenList(), true);
        if (left.size() + request.getGrants() > FileLimits.GRANTS_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    file.id() + " has " + left.size() + " open blocks and requests " + request.getGrants()
                            + " more; the limit is " + FileLimits.GRANTS_MAX);
        }
        Grants grants = new Grants(
                state, context, request.getClientHost(), ServerId.listOf(request.getExcludedServerIdList()), writers);
        // Else it writes one of these and asks ahead, and what it reports ended some time ago.
        boolean isBetweenBlocks = left.isEmpty();
        // A request that has waited for credits has told that already.
        if (isBetweenBlocks && !context.creditsAwaited()) {
            Writer.tellEnd(writers, open, left);
        }
        List<Grant> granted = grants.grant(file, request.getGrants(), isBetweenBlocks);
        if (granted.isEmpty() && request.getGrants() > 0) {
            grants.awaitCredits();
            throw grants.noSpace();
        }
        file.save();
        return AddBlocksReply.newBuilder().addAllGrant(granted).build();
    }
}
