package io.tatami.meta.service.tree.flow;

import io.tatami.meta.op.tree.Resolve;
import io.tatami.meta.op.tree.wire.Resolution;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.service.tree.TreeChanges.Moment;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.ResolveRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Makes handles. A path that leads through a directory whose change is announced waits until that is over. */
final class ResolveFlow implements Flow<ResolveRequest, ResolveReply> {
    /** Bounds how long a client keeps what it does not use; freshness does not hang on it. */
    private static final long HANDLE_MILLIS = 10 * 60 * 1_000;

    private static final Resolve RESOLVE = new Resolve();

    private final LeaderTree tree;

    ResolveFlow(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<ResolveReply> run(RequestOrigin origin, ResolveRequest request) {
        return tree.term().thenCompose(changes -> {
            Moment moment = changes.moment();
            return tree.group().read(RESOLVE, origin, request).thenCompose(resolution -> {
                CompletableFuture<Void> disturbance = changes.disturbance(moment, directories(resolution));
                return disturbance == null
                        ? CompletableFuture.completedFuture(signed(resolution, moment))
                        : disturbance.thenCompose(over -> run(origin, request));
            });
        });
    }

    private ResolveReply signed(Resolution resolution, Moment moment) {
        Handle handle = resolution.getHandle().toBuilder()
                .setVersion(moment.version().value())
                .setExpiresMillis(tree.parts().clock().wallMillis() + HANDLE_MILLIS)
                .build();
        return ResolveReply.newBuilder()
                .setHandle(tree.parts().signer().sign(handle))
                .setResolvedComponents(resolution.getResolvedComponents())
                .setLinks(resolution.getLinks())
                .build();
    }

    private static List<Long> directories(Resolution resolution) {
        List<Long> directories = new ArrayList<>(resolution.getHandle().getAncestorIdList());
        directories.add(resolution.getHandle().getDirectoryId());
        return directories;
    }
}
