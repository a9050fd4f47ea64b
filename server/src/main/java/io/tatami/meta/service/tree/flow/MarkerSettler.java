package io.tatami.meta.service.tree.flow;

import io.tatami.base.GroupId;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.shard.SettleMarker;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CheckDirectoryRequest;
import io.tatami.protocol.wire.SettleMarkerRequest;
import java.util.concurrent.CompletableFuture;

/**
 * In a shard: asks the tree whether a directory has the name that a marker keeps, and clears the marker where none has.
 */
final class MarkerSettler implements Settler<MarkerInDoubt> {
    private static final SettleMarker SETTLE = new SettleMarker();

    private final Group<ShardState> group;
    private final GroupPeers peers;

    MarkerSettler(Group<ShardState> group, GroupPeers peers) {
        this.group = group;
        this.peers = peers;
    }

    @Override
    public CompletableFuture<Void> settle(MarkerInDoubt question) {
        CheckDirectoryRequest check = CheckDirectoryRequest.newBuilder()
                .setParentId(question.parent().value())
                .setName(question.name())
                .setDirectoryId(question.directory().value())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.CHECK_DIRECTORY, check).thenCompose(reply -> {
            if (reply.getExists()) {
                return CompletableFuture.completedFuture(null);
            }
            SettleMarkerRequest clear = SettleMarkerRequest.newBuilder()
                    .setParentId(question.parent().value())
                    .setName(question.name())
                    .setClear(true)
                    .setVersion(reply.getVersion())
                    .build();
            return group.submit(SETTLE, RequestOrigin.SERVICE, clear).thenAccept(done -> {});
        });
    }
}
