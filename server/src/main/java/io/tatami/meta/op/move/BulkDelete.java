package io.tatami.meta.op.move;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.DeleteFileRequest;

/** Deletes many files in one batch; each succeeds or fails for itself, as {@link DeleteFile} would. */
public final class BulkDelete implements Operation<ShardState, BulkDeleteRequest, BulkDeleteReply> {
    private final DeleteFile deleteFile;

    public BulkDelete(DeleteFile deleteFile) {
        this.deleteFile = deleteFile;
    }

    @Override
    public BulkDeleteReply decide(ShardState state, RequestContext context, BulkDeleteRequest request)
            throws UnsettledException {
        BulkDeleteReply.Builder reply = BulkDeleteReply.newBuilder();
        for (BulkDeleteRequest.Item item : request.getItemList()) {
            reply.addResult(deleteOne(state, context, item));
        }
        return reply.build();
    }

    private BulkDeleteReply.Result deleteOne(ShardState state, RequestContext context, BulkDeleteRequest.Item item)
            throws UnsettledException {
        Draft draft = new Draft(state.draft());
        try {
            deleteFile.decide(
                    new ShardState(draft),
                    context,
                    DeleteFileRequest.newBuilder()
                            .setHandle(item.getHandle())
                            .setName(item.getName())
                            .build());
            draft.mergeInto(state.draft());
            return BulkDeleteReply.Result.getDefaultInstance();
        } catch (TatamiException e) {
            return BulkDeleteReply.Result.newBuilder()
                    .setError(e.code().number())
                    .setMessage(String.valueOf(e.getMessage()))
                    .build();
        }
    }
}
