package io.tatami.meta.op.lease;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.meta.state.wire.SettleDeletionRequest;
import io.tatami.protocol.wire.Empty;

/**
 * What the tree said of a directory whose deletion was announced: it is gone, and writers below it are cut off; or it
 * stands, because the deletion was withdrawn or is still to come, and the announcement counts as one of any other
 * change. Without effect where another deletion was announced meanwhile.
 */
public final class SettleDeletion implements Operation<ShardState, SettleDeletionRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, SettleDeletionRequest request) {
        DirectoryId directory = new DirectoryId(request.getDirectoryId());
        GateRecord gate = state.gate(directory);
        if (gate.getDeletedVersion() == request.getVersion()) {
            GateRecord settled = request.getGone()
                    ? gate.toBuilder().setGone(true).build()
                    : gate.toBuilder()
                            .setVersion(Math.max(gate.getVersion(), gate.getDeletedVersion()))
                            .clearDeletedVersion()
                            .build();
            state.putGate(directory, settled);
        }
        return Empty.getDefaultInstance();
    }
}
