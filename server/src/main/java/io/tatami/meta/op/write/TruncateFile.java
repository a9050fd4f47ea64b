package io.tatami.meta.op.write;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.ResolvedName;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.TruncateReply;
import io.tatami.protocol.wire.TruncateRequest;

/**
 * Cuts a file whose name is here. Where its home is another shard, the reply says no more than which file that is: that
 * is what a repeated request goes on with, whatever has the name by then, and {@link CutFile} does the rest.
 */
public final class TruncateFile implements Operation<ShardState, TruncateRequest, TruncateReply> {
    private final HandleCheck handles;

    public TruncateFile(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public TruncateReply decide(ShardState state, RequestContext context, TruncateRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord entry = resolved.settledFile(state, context, Access.WRITE);
        TruncateReply.Builder reply =
                TruncateReply.newBuilder().setFileId(entry.getFile().getFileId());
        if (!ResolvedName.isHomeHere(state, entry.getFile())) {
            return reply.build();
        }
        HomedFile file = resolved.requireHomed(state, entry);
        Reopening.requireClosed(file, resolved.name());
        return reply.setDone(Cutting.cut(state, file, request.getLength(), context.nowMillis()))
                .build();
    }
}
