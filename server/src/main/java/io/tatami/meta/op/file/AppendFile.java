package io.tatami.meta.op.file;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
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
        Place place = Place.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord entry = place.settledFile(state, context, Access.WRITE);
        if (!Place.isHomeHere(state, entry.getFile())) {
            return AppendReply.newBuilder()
                    .setStatus(FileStatus.withoutXattrs(FileStatus.of(state, place.name(), entry)))
                    .build();
        }
        HomedFile file = place.requireHomed(state, entry);
        Reopening.requireClosed(file, place.name());
        AppendReply.Builder reply =
                Reopening.reopen(
                        state, context, file, Writer.lease(place.handle()).build(), request.getNewBlock())
                        .toBuilder();
        FileStatus.withoutXattrs(
                reply.getStatusBuilder().setAttributes(entry.getFile().getAttributes()));
        return reply.build();
    }
}
