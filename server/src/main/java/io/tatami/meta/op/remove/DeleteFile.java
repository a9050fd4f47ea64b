package io.tatami.meta.op.remove;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.rename.RenameRules;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Handle;

/**
 * Deletes a file or a symlink, open or not. Fails with NOT_FOUND, with PERMISSION_DENIED (also by the sticky bit), and
 * with IS_A_DIRECTORY where the name is a directory's: then the tree is to be asked, which also knows whether there is
 * one.
 */
public final class DeleteFile implements Operation<ShardState, DeleteFileRequest, Empty> {
    private final HandleCheck handles;

    public DeleteFile(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public Empty decide(ShardState state, RequestContext context, DeleteFileRequest request)
            throws TatamiException, UnsettledException {
        Handle parent = handles.fresh(state, context, request.getHandle());
        DirectoryId directory = new DirectoryId(parent.getDirectoryId());
        String name = request.getName();
        Access.require(context.caller(), parent.getAttributes(), Access.EXECUTE, Subject.PARENT);
        if (!Arrivals.isOwnedHere(state, directory, name, parent.getSpread())) {
            throw new TatamiException(ErrorCode.STALE_HANDLE, name + " belongs to another shard");
        }
        Arrivals.requireHere(state, parent, name);
        EntryRecord record = state.entry(directory, name);
        MoveMarks.requireSettled(directory, name, record);
        EntryRecord entry = MoveMarks.standing(record);
        if (entry != null && entry.hasMarker()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, name + " is a directory");
        }
        if (entry != null) {
            Access.requireSticky(
                    context.caller(),
                    parent.getAttributes(),
                    Subject.PARENT,
                    RenameRules.attributesOf(entry),
                    Subject.entry(name));
        }
        Access.require(context.caller(), parent.getAttributes(), Access.WRITE, Subject.PARENT);
        if (entry == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, name + " does not exist");
        }
        FileRemoval.removeEntry(state, directory, name, entry, context.nowMillis());
        Arrivals.noteChange(state, parent);
        return Empty.getDefaultInstance();
    }
}
