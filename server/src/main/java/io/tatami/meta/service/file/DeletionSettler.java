package io.tatami.meta.service.file;

import io.tatami.base.GroupId;
import io.tatami.meta.op.UnsettledException.DeletionInDoubt;
import io.tatami.meta.op.lease.SettleDeletion;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.Peers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.SettleDeletionRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import java.util.concurrent.CompletableFuture;

/** Asks the tree whether a directory above an open file, whose deletion was announced, is gone. */
final class DeletionSettler implements Settler<DeletionInDoubt> {
    private static final SettleDeletion SETTLE = new SettleDeletion();

    private final Group<ShardState> group;
    private final Peers peers;

    DeletionSettler(Group<ShardState> group, Peers peers) {
        this.group = group;
        this.peers = peers;
    }

    @Override
    public CompletableFuture<Void> settle(DeletionInDoubt question) {
        GetDirectoriesRequest ask = GetDirectoriesRequest.newBuilder()
                .addDirectoryId(question.directory().value())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, ask).thenCompose(reply -> {
            SettleDeletionRequest answer = SettleDeletionRequest.newBuilder()
                    .setDirectoryId(question.directory().value())
                    .setVersion(question.version())
                    .setGone(reply.getStatusCount() == 0)
                    .build();
            return group.submit(SETTLE, RequestOrigin.SERVICE, answer).thenAccept(done -> {});
        });
    }
}
