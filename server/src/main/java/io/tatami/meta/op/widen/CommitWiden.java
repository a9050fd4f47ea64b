package io.tatami.meta.op.widen;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.WideningRecord;
import io.tatami.protocol.wire.WidenDirectoryReply;
import io.tatami.protocol.wire.WidenDirectoryRequest;

/**
 * Divides a directory's entries over twice as many shards. The change must be announced. From here on each name belongs
 * to its new shard; the entries follow.
 */
public final class CommitWiden implements Operation<TreeState, WidenDirectoryRequest, WidenDirectoryReply> {
    private final int shards;

    public CommitWiden(int shards) {
        this.shards = shards;
    }

    @Override
    public WidenDirectoryReply decide(TreeState state, RequestContext context, WidenDirectoryRequest request) {
        Named directory = PlanWiden.widenable(state, request, shards);
        if (directory == null) {
            return WidenDirectoryReply.getDefaultInstance();
        }
        int from = Math.max(1, directory.record().getSpread());
        state.putWidening(
                directory.id(),
                WideningRecord.newBuilder()
                        .setFromSpread(from)
                        .setSpread(from * 2)
                        .build());
        state.replaceRecord(new Named(
                directory.parent(),
                directory.name(),
                directory.record().toBuilder()
                        .setSpread(from * 2)
                        .setWideningFrom(from)
                        .build()));
        return WidenDirectoryReply.newBuilder().setWidened(true).build();
    }
}
