package io.tatami.meta.op.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.Rights;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.Right;
import io.tatami.protocol.wire.GetBlocksReply;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.Status;

/**
 * The content of a file, from its home, for a client that found the name in another shard: length, blocks or inline
 * bytes, and modification time. Owner and permissions are with the name, so the client shows a right signed by the
 * shard of the name, and gets what that right allows. Changes nothing.
 */
public final class GetBlocks implements Operation<ShardState, GetBlocksRequest, GetBlocksReply> {
    private static final Right EVERYTHING =
            Right.newBuilder().setLocations(true).setContent(true).build();

    private final Proof proof;

    /** How much of the file the caller may see. */
    @FunctionalInterface
    private interface Proof {
        Right of(RequestContext context, GetBlocksRequest request) throws TatamiException;
    }

    private GetBlocks(Proof proof) {
        this.proof = proof;
    }

    /**
     * For clients; refuses with STALE_HANDLE those who are not the superuser and show no right to the file that holds.
     */
    public static GetBlocks provenBy(Rights rights) {
        return new GetBlocks((context, request) -> proven(rights, context, request));
    }

    /** For callers who are known to have READ permission. */
    public static GetBlocks allowed() {
        return new GetBlocks((context, request) -> EVERYTHING);
    }

    @Override
    public GetBlocksReply decide(ShardState state, RequestContext context, GetBlocksRequest request)
            throws TatamiException {
        Right right = proof.of(context, request);
        FileId file = new FileId(request.getFileId());
        HomeRecord home = state.home(file);
        if (home == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + file);
        }
        Status.Builder status = FileStatus.ofHome(state, file, home);
        if (right.getLocations()) {
            KnownHealth health = request.getWithHealth() ? new KnownHealth(state, context.cluster()) : null;
            FileStatus.addContent(state, status, file, home, right.getContent(), health);
        }
        return GetBlocksReply.newBuilder().setStatus(status).build();
    }

    private static Right proven(Rights rights, RequestContext context, GetBlocksRequest request)
            throws TatamiException {
        if (context.caller().superuser()) {
            return EVERYTHING;
        }
        Right right = rights.of(context, request.getRight());
        if (right.getFileId() != request.getFileId()) {
            throw new TatamiException(
                    ErrorCode.STALE_HANDLE, "the request contains no valid right to see " + request.getFileId());
        }
        return right;
    }
}
