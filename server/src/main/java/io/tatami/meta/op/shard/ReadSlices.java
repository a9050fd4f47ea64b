package io.tatami.meta.op.shard;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * This shard's parts of some directories: all for servers and the superuser, when they changed last for whoever can
 * reach the directories. Changes nothing.
 */
public final class ReadSlices implements Operation<ShardState, ReadSharesRequest, ReadSharesReply> {
    private final @Nullable HandleCheck handles;

    private ReadSlices(@Nullable HandleCheck handles) {
        this.handles = handles;
    }

    /** For clients; refuses with STALE_HANDLE those that show neither a fresh handle nor a right that holds. */
    public static ReadSlices provenBy(HandleCheck handles) {
        return new ReadSlices(handles);
    }

    /** For callers who are known to reach the directories. */
    public static ReadSlices allowed() {
        return new ReadSlices(null);
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
        Map<DirectoryId, DirectorySliceRecord> slices = state.slices(directories);
        for (DirectoryId directory : directories) {
            DirectorySlice slice =
                    slice(directory, slices.getOrDefault(directory, DirectorySliceRecord.getDefaultInstance()));
            reply.addSlice(context.caller().superuser() ? slice : changes(slice));
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
                        ErrorCode.STALE_HANDLE, "the request contains no valid right to directory " + id);
            }
        }
    }

    private static DirectorySlice changes(DirectorySlice slice) {
        return DirectorySlice.newBuilder()
                .setDirectoryId(slice.getDirectoryId())
                .setLastChangeMillis(slice.getLastChangeMillis())
                .setMoves(slice.getMoves())
                .build();
    }

    static DirectorySlice slice(DirectoryId directory, DirectorySliceRecord slice) {
        return DirectorySlice.newBuilder()
                .setDirectoryId(directory.value())
                .setFiles(slice.getFiles())
                .setBytes(slice.getBytes())
                .setSpaceConsumed(slice.getSpaceConsumed())
                .setLastChangeMillis(slice.getLastChangeMillis())
                .setMoves(slice.getMoves())
                .setSymlinks(slice.getSymlinks())
                .setMoving(slice.getMoving())
                .setGivenSpread(slice.getGivenSpread())
                .setCopies(copies(slice.getArrival().getFetched()))
                .build();
    }

    private static DirectorySlice copies(DirectorySliceRecord sums) {
        return DirectorySlice.newBuilder()
                .setFiles(sums.getFiles())
                .setBytes(sums.getBytes())
                .setSpaceConsumed(sums.getSpaceConsumed())
                .setSymlinks(sums.getSymlinks())
                .build();
    }
}
