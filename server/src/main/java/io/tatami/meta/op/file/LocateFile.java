package io.tatami.meta.op.file;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;

/**
 * The file under a name, for a caller who may write it: where a flow goes on from when the file's home is another
 * shard. Changes nothing.
 */
public final class LocateFile implements Operation<ShardState, LookupRequest, LookupReply> {
    private final HandleCheck handles;

    public LocateFile(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public LookupReply decide(ShardState state, RequestContext context, LookupRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord entry = resolved.settledFile(state, context, Access.WRITE);
        return LookupReply.newBuilder()
                .setStatus(FileStatus.of(state, resolved.caller(), resolved.name(), entry))
                .build();
    }
}
