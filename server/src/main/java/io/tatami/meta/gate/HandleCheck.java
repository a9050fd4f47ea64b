package io.tatami.meta.gate;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;

/**
 * Decides whether a shard may act on a handle: its signature is the cluster's, it was made for the user who asks, its
 * time is not over, and nothing on its path has changed since, as far as this shard's gate knows. A handle tells where
 * a path leads, and nothing of the user's rights; these come with the request. Pure: reads only the state it is given.
 */
public final class HandleCheck {
    private final HandleSigner signer;

    public HandleCheck(HandleSigner signer) {
        this.signer = signer;
    }

    /** Rights that are given to whoever came with a fresh handle. */
    public Rights rights() {
        return signer.rights();
    }

    /**
     * The handle of a client's request.
     *
     * @throws TatamiException PERMISSION_DENIED for a forged handle or another user's; STALE_HANDLE when the path must
     *     be resolved again
     */
    public Handle fresh(ShardState state, RequestContext context, SignedHandle signed) throws TatamiException {
        return fresh(state, context, context.caller(), signed);
    }

    /**
     * The handle of a client's request that another group passes on: the connection's user is that server.
     *
     * @param caller whose request it is, as that group says
     * @throws TatamiException as {@link #fresh(ShardState, RequestContext, SignedHandle)}
     */
    public Handle fresh(ShardState state, RequestContext context, Caller caller, SignedHandle signed)
            throws TatamiException {
        Handle handle = signer.open(signed);
        if (!handle.getUser().equals(caller.user())) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "a directory handle of " + handle.getUser() + " was used by " + caller.user());
        }
        if (handle.getExpiresMillis() <= context.wallMillis()) {
            throw new TatamiException(
                    ErrorCode.STALE_HANDLE,
                    "the path to directory " + handle.getDirectoryId() + " was resolved too long ago");
        }
        requireFresh(state, handle);
        return handle;
    }

    private static void requireFresh(ShardState state, Handle handle) throws TatamiException {
        TreeVersion version = new TreeVersion(handle.getVersion());
        if (!version.isBelow(state.gateNewest())) {
            return;
        }
        if (version.isBelow(state.gateFloor())) {
            throw stale(handle.getDirectoryId());
        }
        for (long ancestor : handle.getAncestorIdList()) {
            GateRecord gate = state.gate(new DirectoryId(ancestor));
            if (gate.getVersion() > version.value()) {
                throw stale(ancestor);
            }
        }
        GateRecord own = state.gate(new DirectoryId(handle.getDirectoryId()));
        if (Math.max(own.getVersion(), own.getSelfVersion()) > version.value()) {
            throw stale(handle.getDirectoryId());
        }
    }

    private static TatamiException stale(long directory) {
        return new TatamiException(
                ErrorCode.STALE_HANDLE, "directory " + directory + " changed since the path was resolved");
    }
}
