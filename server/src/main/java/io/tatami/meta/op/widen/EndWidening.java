package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.WideningDirectory;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.WideningRecord;
import io.tatami.protocol.wire.Empty;

/** All entries of a directory are in the shards that they belong to, whether it is still in the tree or not. */
public final class EndWidening implements Operation<TreeState, WideningDirectory, Empty> {
    @Override
    public Empty decide(TreeState state, RequestContext context, WideningDirectory ended) {
        DirectoryId id = new DirectoryId(ended.getDirectoryId());
        WideningRecord widening = state.widening(id);
        if (widening == null || widening.getSpread() != ended.getSpread()) {
            return Empty.getDefaultInstance();
        }
        state.removeWidening(id);
        Named directory = state.find(id);
        if (directory != null && directory.id().equals(id)) {
            state.replaceRecord(new Named(
                    directory.parent(),
                    directory.name(),
                    directory.record().toBuilder().clearWideningFrom().build()));
        }
        return Empty.getDefaultInstance();
    }
}
