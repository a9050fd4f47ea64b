package io.tatami.meta.service.tree.flow;

import io.tatami.meta.op.tree.LocateDirectory;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.service.tree.TreeChanges.Moment;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import java.util.concurrent.CompletableFuture;

/**
 * Tells a shard where a directory is. Does not wait for changes that are under way, of which one may be the deletion of
 * a large subtree: the answer is of the moment, and carries a version only where none is.
 */
final class LocateDirectoryFlow implements Flow<LocateDirectoryRequest, LocateDirectoryReply> {
    private static final LocateDirectory LOCATE = new LocateDirectory();

    private final LeaderTree tree;

    LocateDirectoryFlow(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<LocateDirectoryReply> run(RequestOrigin origin, LocateDirectoryRequest request) {
        return tree.term().thenCompose(changes -> {
            Moment moment = changes.moment();
            return tree.group().read(LOCATE, origin, request).thenApply(place -> {
                boolean isSettled = changes.disturbance(moment, place.getPathIdList()) == null;
                return isSettled
                        ? place.toBuilder().setVersion(moment.version().value()).build()
                        : place;
            });
        });
    }
}
