package io.tatami.meta.op.reclaim;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;

/**
 * Queues directories that are gone from the tree: their entries here are removed in the background. The gate was told
 * of the deletion before the tree was changed, so no client puts anything into them any more; nor does what is late of
 * a hand-over that had ended before, because the gate remembers for a while that they are reclaimed. Done twice, the
 * second finds nothing.
 */
public final class ReclaimDirectories implements Operation<ShardState, ReclaimDirectoriesRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, ReclaimDirectoriesRequest request) {
        for (long directory : request.getDirectoryIdList()) {
            state.addReclaim(
                    ReclaimRecord.newBuilder().setDirectoryId(directory).build());
            close(state, new DirectoryId(directory));
        }
        return Empty.getDefaultInstance();
    }

    /** Of a directory that has never been widened nothing can come late. */
    private static void close(ShardState state, DirectoryId directory) {
        DirectorySliceRecord share = state.slice(directory);
        if (share.hasArrival() || share.getGivenSpread() != 0) {
            GateRecord gate = state.gate(directory);
            state.putGate(
                    directory,
                    gate.toBuilder()
                            .setReclaimed(true)
                            .setVersion(Math.max(
                                    gate.getVersion(), state.gateNewest().value()))
                            .build());
        }
    }
}
