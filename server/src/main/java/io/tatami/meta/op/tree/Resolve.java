package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.Resolution;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ResolveRequest;

/**
 * The deepest directory on a path. Whether the names after it are files only a shard can tell, so a path that goes on
 * is no error here. The handle still lacks version and expiry, which are the leader's to give.
 */
public final class Resolve implements Operation<TreeState, ResolveRequest, Resolution> {
    @Override
    public Resolution decide(TreeState state, RequestContext context, ResolveRequest request) throws TatamiException {
        Caller caller = context.caller();
        Walk walk = Walk.along(state, caller, TreePath.parse(request.getPath()));
        Named directory = walk.last();
        Attributes attributes = directory.record().getAttributes();
        Handle.Builder handle = Handle.newBuilder()
                .setDirectoryId(directory.id().value())
                .setAttributes(Attributes.newBuilder()
                        .setOwner(attributes.getOwner())
                        .setGroup(attributes.getGroup())
                        .setMode(attributes.getMode())
                        .addAllAcl(attributes.getAclList()))
                .setSpread(directory.record().getSpread())
                .setWideningFrom(directory.record().getWideningFrom())
                .setUser(caller.user());
        walk.aboveLast().forEach(step -> handle.addAncestorId(step.id().value()));
        return Resolution.newBuilder()
                .setHandle(handle)
                .setResolvedComponents(walk.path().length() - walk.missing())
                .setLinks(state.links())
                .build();
    }
}
