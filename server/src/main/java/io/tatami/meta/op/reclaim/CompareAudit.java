package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.AuditFinding;
import io.tatami.meta.state.wire.CompareAuditReply;
import io.tatami.meta.state.wire.CompareAuditRequest;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.UnknownCopy;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells in what a server's answer differs from what this shard knows: copies that it misses, holds damaged or cannot
 * tell of, and those with which something was wrong and that are sound again. One that was damaged stays so while
 * nobody knows. Tells also which of the blocks that were not asked for are unknown: a block that was granted with its
 * file and is being written is not asked for, and is known.
 */
public final class CompareAudit implements Operation<ShardState, CompareAuditRequest, CompareAuditReply> {
    @Override
    public CompareAuditReply decide(ShardState state, RequestContext context, CompareAuditRequest request) {
        ServerId server = new ServerId(request.getServerId());
        Set<Long> missing = new HashSet<>(request.getAnswer().getMissingBlockIdList());
        Set<Long> damaged = new HashSet<>(request.getAnswer().getDamagedBlockIdList());
        Set<Long> unavailable = new HashSet<>(request.getAnswer().getUnavailableBlockIdList());
        CompareAuditReply.Builder reply = CompareAuditReply.newBuilder();
        for (AuditRequest.Item item : request.getAsked().getItemList()) {
            ReplicaRecord replica = state.replica(server, new BlockId(item.getBlockId()));
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
                reply.addFinding(
                        AuditFinding.newBuilder().setBlockId(item.getBlockId()).setProblem(problem));
            }
        }
        for (long block : request.getAnswer().getUnknownBlockIdList()) {
            if (state.replica(server, new BlockId(block)) == null) {
                reply.addUnknownBlockId(block);
            }
        }
        for (UnknownCopy copy : request.getAnswer().getUnknownCopyList()) {
            if (!Disown.isKnown(state, server, new BlockId(copy.getBlockId()), copy.getCopyNumber())) {
                reply.addUnknownCopy(copy);
            }
        }
        return reply.build();
    }
}
