package io.tatami.meta.op.lease;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.SettleWriterRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.LocateDirectoryReply;

/**
 * What the tree said of the directory of an open file, after a change of one that was above it: it is gone, for good;
 * or it stands, and the lease knows from now on under which others, unless one of them is about to change. Without
 * effect on a file whose name has changed meanwhile, or is in another shard, which may not be told of changes.
 */
public final class SettleWriter implements Operation<ShardState, SettleWriterRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, SettleWriterRequest request) {
        DirectoryId directory = new DirectoryId(request.getDirectoryId());
        if (request.getPlace().getPathIdCount() == 0) {
            state.putGate(
                    directory, state.gate(directory).toBuilder().setGone(true).build());
        } else {
            renew(state, new FileId(request.getFileId()), directory, request.getPlace());
        }
        return Empty.getDefaultInstance();
    }

    private static void renew(ShardState state, FileId file, DirectoryId directory, LocateDirectoryReply place) {
        HomeRecord home = state.home(file);
        if (home == null
                || home.getParentId() != directory.value()
                || home.getEntryGroup() != state.id().value()) {
            return;
        }
        LeaseRecord lease = WriteLease.of(state, file, home);
        if (lease != null && lease.getVersion() < place.getVersion()) {
            WriteLease.change(
                    state,
                    file,
                    home,
                    lease.toBuilder()
                            .clearAncestorId()
                            .addAllAncestorId(place.getPathIdList())
                            .setVersion(place.getVersion())
                            .build());
        }
    }
}
