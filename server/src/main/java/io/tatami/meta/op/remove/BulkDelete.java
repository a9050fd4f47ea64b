package io.tatami.meta.op.remove;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.EntriesLeaving;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.RefusalFormat;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import java.util.ArrayList;
import java.util.List;

/** Deletes many files in one batch; each succeeds or fails for itself, as {@link DeleteFile} would. */
public final class BulkDelete implements Operation<ShardState, BulkDeleteRequest, BulkDeleteReply> {
    /** So the reply to as many items as a request may have can be remembered. */
    private static final int MESSAGE_CHARACTERS_MAX = 200;

    private final DeleteFile deleteFile;

    public BulkDelete(DeleteFile deleteFile) {
        this.deleteFile = deleteFile;
    }

    @Override
    public BulkDeleteReply decide(ShardState state, RequestContext context, BulkDeleteRequest request)
            throws UnsettledException {
        BulkDeleteReply.Builder reply = BulkDeleteReply.newBuilder();
        List<EntryLeaving> leaving = new ArrayList<>();
        for (BulkDeleteRequest.Item item : request.getItemList()) {
            try {
                reply.addResult(deleteOne(state, context, item));
            } catch (UnsettledException e) {
                if (!(e.question() instanceof EntryLeaving entry)) {
                    throw e;
                }
                leaving.add(entry);
                if (leaving.size() == EntriesLeaving.ENTRIES_MAX) {
                    break;
                }
            }
        }
        if (!leaving.isEmpty()) {
            throw new UnsettledException(new EntriesLeaving(leaving, ""));
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
                    .setMessage(RefusalFormat.shortened(String.valueOf(e.getMessage()), MESSAGE_CHARACTERS_MAX))
                    .setRefusal(RefusalFormat.of(e, MESSAGE_CHARACTERS_MAX))
                    .build();
        }
    }
}
