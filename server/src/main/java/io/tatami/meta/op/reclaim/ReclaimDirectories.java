package io.tatami.meta.op.reclaim;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;

/**
 * Queues directories that are gone from the tree: their entries here are removed in the background. The gate was told
 * of the deletion before the tree was changed, so nothing comes into them any more. Done twice, the second finds
 * nothing.
 */
public final class ReclaimDirectories implements Operation<ShardState, ReclaimDirectoriesRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, ReclaimDirectoriesRequest request) {
        for (long directory : request.getDirectoryIdList()) {
            state.addReclaim(
                    ReclaimRecord.newBuilder().setDirectoryId(directory).build());
        }
        return Empty.getDefaultInstance();
    }
}
