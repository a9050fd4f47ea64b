package io.tatami.meta.op.rename;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.rename.RenameRules.End;
import io.tatami.meta.op.rename.RenameRules.Ends;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.RenameFileRequest;
import org.jspecify.annotations.Nullable;

/**
 * Renames a file or symlink if this shard owns both names: in one batch, which includes the removal of a replaced file.
 * An open file keeps its writer.
 */
public final class RenameFile implements Operation<ShardState, RenameFileRequest, Empty> {
    private final RenameRules rules;

    public RenameFile(HandleCheck handles) {
        this.rules = new RenameRules(handles);
    }

    @Override
    public Empty decide(ShardState state, RequestContext context, RenameFileRequest request)
            throws TatamiException, UnsettledException {
        Ends ends = rules.ends(state, context, request);
        End source = ends.source();
        End destination = ends.destination();
        if (!source.owner(state.group().getShards()).equals(state.id())) {
            throw source.refused(ErrorCode.STALE_HANDLE, source.name() + " belongs to another shard");
        }
        EntryRecord moved =
                RenameRules.movable(context.caller(), source, settled(state, source), request.getDestinationPath());
        if (ends.sameName()) {
            throw source.refused(
                    ErrorCode.ALREADY_EXISTS, "the source and the destination " + source.name() + " are the same");
        }
        EntryRecord replaced =
                RenameRules.replaceable(context, destination, settled(state, destination), request.getOverwrite());
        state.entries().changeName(source.directory(), source.name(), null, context.nowMillis());
        put(state, destination, RenameRules.renamed(moved), replaced, context.nowMillis());
        return Empty.getDefaultInstance();
    }

    private static @Nullable EntryRecord settled(ShardState state, End end) throws UnsettledException {
        EntryRecord record = state.entry(end.directory(), end.name());
        MoveMarks.requireSettled(end.directory(), end.name(), record);
        return record;
    }

    /** Puts an entry under its new name, in place of the replaced one. */
    static void put(
            ShardState state, End destination, EntryRecord entry, @Nullable EntryRecord replaced, long nowMillis) {
        if (replaced != null) {
            FileRemoval.releaseContent(state, replaced);
        }
        HomeName.follow(state, destination, entry);
        state.entries().changeName(destination.directory(), destination.name(), entry, nowMillis);
        Arrivals.noteChange(state, destination.parent());
    }
}
