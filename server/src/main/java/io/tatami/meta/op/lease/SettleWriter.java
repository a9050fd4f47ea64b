package io.tatami.meta.op.lease;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.SettleWriterRequest;
import io.tatami.protocol.wire.Empty;

/**
 * What the tree said of the directory of an open file, after one that was above it was deleted: it stands elsewhere,
 * and the writer goes on, whom that deletion does not concern any more; or it is gone, for good. Without effect on a
 * file whose name has changed meanwhile.
 */
public final class SettleWriter implements Operation<ShardState, SettleWriterRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, SettleWriterRequest request) {
        DirectoryId directory = new DirectoryId(request.getDirectoryId());
        if (request.getGone()) {
            GateRecord gate = state.gate(directory);
            state.putGate(
                    directory,
                    gate.toBuilder()
                            .setGone(true)
                            .setDeletedVersion(Math.max(gate.getDeletedVersion(), request.getVersion()))
                            .build());
            return Empty.getDefaultInstance();
        }
        FileId file = new FileId(request.getFileId());
        HomeRecord home = state.home(file);
        if (home != null && home.getParentId() == directory.value()) {
            SessionId writer = new SessionId(home.getWriterSession());
            LeaseRecord lease = state.lease(writer, file);
            if (lease != null && lease.getVersion() < request.getVersion()) {
                state.putLease(
                        writer,
                        file,
                        lease.toBuilder().setVersion(request.getVersion()).build());
            }
        }
        return Empty.getDefaultInstance();
    }
}
