package io.tatami.meta.service.tree.flow;

import io.tatami.meta.op.tree.CheckDirectory;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.state.TreeVersion;
import io.tatami.protocol.wire.CheckDirectoryReply;
import io.tatami.protocol.wire.CheckDirectoryRequest;
import java.util.concurrent.CompletableFuture;

/**
 * Tells a shard whether a directory has a name. Whatever reserved the name before the version in the answer is through
 * before the tree is read; what reserves it later has a higher version, and its marker is safe from this answer.
 */
final class CheckDirectoryFlow implements Flow<CheckDirectoryRequest, CheckDirectoryReply> {
    private static final CheckDirectory CHECK = new CheckDirectory();

    private final LeaderTree tree;

    CheckDirectoryFlow(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<CheckDirectoryReply> run(RequestOrigin origin, CheckDirectoryRequest request) {
        return tree.term().thenCompose(changes -> {
            TreeVersion version = changes.latestVersion();
            return tree.names()
                    .whenFree(request.getParentId(), request.getName())
                    .thenCompose(free -> tree.group().read(CHECK, origin, request))
                    .thenApply(reply ->
                            reply.toBuilder().setVersion(version.value()).build());
        });
    }
}
