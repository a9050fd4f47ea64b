package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ShareRecord;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.Share;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * This shard's parts of some directories: all for servers and the superuser, when they changed last for whoever can
 * reach the directories. Changes nothing.
 */
public final class ReadShares implements Operation<ShardState, ReadSharesRequest, ReadSharesReply> {
    private final @Nullable HandleCheck handles;

    private ReadShares(@Nullable HandleCheck handles) {
        this.handles = handles;
    }

    /** For clients; refuses with STALE_HANDLE those that show neither a fresh handle nor a right that holds. */
    public static ReadShares provenBy(HandleCheck handles) {
        return new ReadShares(handles);
    }

    /** For callers who are known to reach the directories. */
    public static ReadShares allowed() {
        return new ReadShares(null);
    }

    @Override
    public ReadSharesReply decide(ShardState state, RequestContext context, ReadSharesRequest request)
            throws TatamiException {
        if (handles != null && !context.caller().superuser()) {
            requireProof(handles, state, context, request);
        }
        ReadSharesReply.Builder reply = ReadSharesReply.newBuilder();
        List<DirectoryId> directories =
                request.getDirectoryIdList().stream().map(DirectoryId::new).toList();
        Map<DirectoryId, ShareRecord> shares = state.shares(directories);
        for (DirectoryId directory : directories) {
            Share share = share(directory, shares.getOrDefault(directory, ShareRecord.getDefaultInstance()));
            reply.addShare(context.caller().superuser() ? share : changes(share));
        }
        return reply.build();
    }

    private static void requireProof(
            HandleCheck handles, ShardState state, RequestContext context, ReadSharesRequest request)
            throws TatamiException {
        Set<Long> reached =
                new HashSet<>(handles.rights().of(context, request.getRight()).getDirectoryIdList());
        reached.add(DirectoryId.ROOT.value());
        if (request.hasHandle()) {
            reached.add(handles.fresh(state, context, request.getHandle()).getDirectoryId());
        }
        for (long id : request.getDirectoryIdList()) {
            if (!reached.contains(id)) {
                throw new TatamiException(
                        ErrorCode.STALE_HANDLE, "nothing shows that the caller can reach directory " + id);
            }
        }
    }

    private static Share changes(Share share) {
        return Share.newBuilder()
                .setDirectoryId(share.getDirectoryId())
                .setLastChangeMillis(share.getLastChangeMillis())
                .setMoves(share.getMoves())
                .build();
    }

    static Share share(DirectoryId directory, ShareRecord share) {
        return Share.newBuilder()
                .setDirectoryId(directory.value())
                .setFiles(share.getFiles())
                .setBytes(share.getBytes())
                .setSpaceConsumed(share.getSpaceConsumed())
                .setLastChangeMillis(share.getLastChangeMillis())
                .setMoves(share.getMoves())
                .setSymlinks(share.getSymlinks())
                .setMoving(share.getMoving())
                .setGivenSpread(share.getGivenSpread())
                .setCopies(copies(share.getArrival().getFetched()))
                .build();
    }

    private static Share copies(ShareRecord sums) {
        return Share.newBuilder()
                .setFiles(sums.getFiles())
                .setBytes(sums.getBytes())
                .setSpaceConsumed(sums.getSpaceConsumed())
                .setSymlinks(sums.getSymlinks())
                .build();
    }
}
