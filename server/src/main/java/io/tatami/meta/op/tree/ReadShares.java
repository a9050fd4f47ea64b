package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ShareRecord;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.Share;

/** This shard's parts of some directories. */
public final class ReadShares implements Operation<ShardState, ReadSharesRequest, ReadSharesReply> {
    @Override
    public ReadSharesReply decide(ShardState state, RequestContext context, ReadSharesRequest request) {
        ReadSharesReply.Builder reply = ReadSharesReply.newBuilder();
        for (long id : request.getDirectoryIdList()) {
            reply.addShare(share(state, new DirectoryId(id)));
        }
        return reply.build();
    }

    static Share share(ShardState state, DirectoryId directory) {
        ShareRecord share = state.share(directory);
        return Share.newBuilder()
                .setDirectoryId(directory.value())
                .setFiles(share.getFiles())
                .setBytes(share.getBytes())
                .setSpaceConsumed(share.getSpaceConsumed())
                .setLastChangeMillis(share.getLastChangeMillis())
                .setMoves(share.getMoves())
                .setSymlinks(share.getSymlinks())
                .setMoving(share.getMoving())
                .build();
    }
}
