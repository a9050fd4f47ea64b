package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.RecordAuditReply;
import io.tatami.meta.state.wire.RecordAuditRequest;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.AuditRequest;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes down which copies a server misses, holds damaged or cannot tell of, for whoever looks (fsck) and whoever
 * repairs; and that a copy with which something was wrong is sound again. One that was damaged stays so while nobody
 * knows. Tells which of the blocks that were not asked for are unknown: a block that was granted with its file and is
 * being written is not asked for, and is known.
 */
public final class RecordAudit implements Operation<ShardState, RecordAuditRequest, RecordAuditReply> {
    @Override
    public RecordAuditReply decide(ShardState state, RequestContext context, RecordAuditRequest request) {
        ServerId server = new ServerId(request.getServerId());
        Set<Long> missing = new HashSet<>(request.getAnswer().getMissingBlockIdList());
        Set<Long> damaged = new HashSet<>(request.getAnswer().getDamagedBlockIdList());
        Set<Long> unavailable = new HashSet<>(request.getAnswer().getUnavailableBlockIdList());
        for (AuditRequest.Item item : request.getAsked().getItemList()) {
            BlockId block = new BlockId(item.getBlockId());
            ReplicaRecord replica = state.replica(server, block);
            if (replica == null) {
                continue;
            }
            Problem problem = Problem.NONE;
            if (missing.contains(item.getBlockId())) {
                problem = Problem.MISSING;
            } else if (damaged.contains(item.getBlockId())) {
                problem = Problem.DAMAGED;
            } else if (unavailable.contains(item.getBlockId())) {
                problem = replica.getProblem() == Problem.DAMAGED ? Problem.DAMAGED : Problem.UNAVAILABLE;
            }
            if (replica.getProblem() != problem) {
                state.putReplica(
                        server, block, replica.toBuilder().setProblem(problem).build());
            }
        }
        RecordAuditReply.Builder reply = RecordAuditReply.newBuilder();
        for (long block : request.getAnswer().getUnknownBlockIdList()) {
            if (state.replica(server, new BlockId(block)) == null) {
                reply.addUnknownBlockId(block);
            }
        }
        return reply.build();
    }
}
