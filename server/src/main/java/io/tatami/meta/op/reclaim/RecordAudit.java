package io.tatami.meta.op.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.AuditFinding;
import io.tatami.meta.state.wire.RecordAuditReply;
import io.tatami.meta.state.wire.RecordAuditRequest;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;

/**
 * Writes down what an audit found of copies, for whoever looks (fsck), and has the copies of their blocks looked at. A
 * round that had begun when something else was found is older than that, and says nothing.
 */
public final class RecordAudit implements Operation<ShardState, RecordAuditRequest, RecordAuditReply> {
    @Override
    public RecordAuditReply decide(ShardState state, RequestContext context, RecordAuditRequest request) {
        ServerId server = new ServerId(request.getServerId());
        int changed = 0;
        for (AuditFinding finding : request.getFindingList()) {
            BlockId block = new BlockId(finding.getBlockId());
            ReplicaRecord replica = state.replica(server, block);
            if (replica != null
                    && replica.getRound() < request.getRound()
                    && record(state, server, block, replica, finding.getProblem(), request.getRound())) {
                changed++;
            }
        }
        return RecordAuditReply.newBuilder().setChanged(changed).build();
    }

    /** False, and nothing is changed, where that is known. */
    static boolean record(
            ShardState state, ServerId server, BlockId block, ReplicaRecord replica, Problem problem, long round) {
        if (replica.getProblem() == problem) {
            return false;
        }
        state.putReplica(
                server,
                block,
                replica.toBuilder().setProblem(problem).setRound(round).build());
        state.needs().look(block, new FileId(replica.getFileId()), 0);
        return true;
    }
}
