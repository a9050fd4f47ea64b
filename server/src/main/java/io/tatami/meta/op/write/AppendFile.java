package io.tatami.meta.op.write;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.FileStatus;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.ResolvedName;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;

/**
 * Opens a file again whose name is here. Where its home is another shard, the reply says no more than which file that
 * is: that is what a repeated request goes on with, whatever has the name by then, and {@link ReopenFile} does the
 * rest.
 */
public final class AppendFile implements Operation<ShardState, AppendRequest, AppendReply> {
    private final HandleCheck handles;

    public AppendFile(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public AppendReply decide(ShardState state, RequestContext context, AppendRequest request)
            throws TatamiException, UnsettledException {
        Writer.requireSession(context);
        ResolvedName resolved = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord entry = resolved.settledFile(state, context, Access.WRITE);
        if (!ResolvedName.isHomeHere(state, entry.getFile())) {
            return AppendReply.newBuilder()
                    .setStatus(FileStatus.withoutXattrs(FileStatus.of(state, resolved.name(), entry)))
                    .build();
        }
        HomedFile file = resolved.requireHomed(state, entry);
        Reopening.requireClosed(file, resolved.name());
        AppendReply.Builder reply = Reopening.reopen(
                state, context, file, Writer.lease(resolved.handle()).build(), request.getNewBlock())
                .toBuilder();
        FileStatus.withoutXattrs(
                reply.getStatusBuilder().setAttributes(entry.getFile().getAttributes()));
        return reply.build();
    }
}
