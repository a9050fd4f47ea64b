package io.tatami.meta.op.file;

import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.CheckReadReply;
import io.tatami.protocol.wire.CheckReadRequest;

/**
 * Whether a user may read the file under a name, asked by the file's home. Whether the user can come to the name is for
 * the tree to say. Changes nothing.
 */
public final class CheckRead implements Operation<ShardState, CheckReadRequest, CheckReadReply> {
    @Override
    public CheckReadReply decide(ShardState state, RequestContext context, CheckReadRequest request)
            throws TatamiException, UnsettledException {
        DirectoryId parent = new DirectoryId(request.getParentId());
        EntryRecord record = state.entry(parent, request.getName());
        MoveMarks.requireReadable(parent, request.getName(), record);
        EntryRecord entry = MoveMarks.standing(record);
        boolean isGiven = Arrivals.isGiven(state, parent, request.getName());
        if (isGiven || entry == null || !entry.hasFile() || entry.getFile().getFileId() != request.getFileId()) {
            return CheckReadReply.newBuilder().setElsewhere(true).build();
        }
        Caller user = new Caller(request.getUser(), request.getUserGroupList(), false);
        Access.require(user, entry.getFile().getAttributes(), Access.READ, Subject.entry(request.getName()));
        return CheckReadReply.getDefaultInstance();
    }
}
