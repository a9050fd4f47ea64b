package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.RecordAuditRequest;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.Empty;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes down which copies a server misses or holds damaged, for whoever looks (fsck) and whoever repairs; and that a
 * copy with which something was wrong is sound again.
 */
public final class RecordAudit implements Operation<ShardState, RecordAuditRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, RecordAuditRequest request) {
        ServerId server = new ServerId(request.getServerId());
        Set<Long> missing = new HashSet<>(request.getAnswer().getMissingBlockIdList());
        Set<Long> damaged = new HashSet<>(request.getAnswer().getDamagedBlockIdList());
        for (AuditRequest.Item item : request.getAsked().getItemList()) {
            BlockId block = new BlockId(item.getBlockId());
            ReplicaRecord replica = state.replica(server, block);
            Problem problem = missing.contains(item.getBlockId())
                    ? Problem.MISSING
                    : damaged.contains(item.getBlockId()) ? Problem.DAMAGED : Problem.NONE;
            if (replica != null && replica.getProblem() != problem) {
                state.putReplica(
                        server, block, replica.toBuilder().setProblem(problem).build());
            }
        }
        return Empty.getDefaultInstance();
    }
}
