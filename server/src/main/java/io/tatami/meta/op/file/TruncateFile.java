package io.tatami.meta.op.file;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.wire.TruncateReply;
import io.tatami.protocol.wire.TruncateRequest;

/** Cuts a file whose name and home are both here; {@link CutFile} serves names elsewhere. */
public final class TruncateFile implements Operation<ShardState, TruncateRequest, TruncateReply> {
    private final HandleCheck handles;

    public TruncateFile(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public TruncateReply decide(ShardState state, RequestContext context, TruncateRequest request)
            throws TatamiException, UnsettledException {
        Place place = Place.reach(handles, state, context, request.getHandle(), request.getName());
        HomedFile file = place.requireHomed(state, place.settledFile(state, context, Access.WRITE));
        Reopening.requireClosed(file, place.name());
        return TruncateReply.newBuilder()
                .setDone(Cutting.cut(state, file, request.getLength(), context.nowMillis()))
                .build();
    }
}
