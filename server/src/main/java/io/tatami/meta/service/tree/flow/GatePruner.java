package io.tatami.meta.service.tree.flow;

import io.tatami.base.GroupId;
import io.tatami.meta.op.reclaim.ListUnhooked;
import io.tatami.meta.op.tree.wire.ListUnhookedRequest;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.state.TreeVersion;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AnnounceRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Lets shards forget changes that are older than one round, by refusing all handles from before them; a client that
 * still has one resolves its path again. Rests while deleted directories have still to be reclaimed and for a round
 * after that, because what is late for them is known by the gate. Run by one task at a time, never by two threads at
 * once.
 */
public final class GatePruner implements BackgroundTask {
    private static final Duration ROUND = Duration.ofMinutes(10);
    private static final ListUnhooked LIST = new ListUnhooked();

    private final LeaderTree tree;
    /** Of the last round; none where something was to be reclaimed then. */
    private volatile TreeVersion versionBefore = TreeVersion.NONE;

    GatePruner(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<Duration> run() {
        ListUnhookedRequest one = ListUnhookedRequest.newBuilder().setLimit(1).build();
        return tree.term()
                .thenCompose(changes -> tree.group()
                        .read(LIST, RequestOrigin.SERVICE, one)
                        .thenCompose(reply -> {
                            boolean isReclaimed = reply.getOldest() == 0;
                            TreeVersion floor = versionBefore;
                            versionBefore = isReclaimed ? changes.latestVersion() : TreeVersion.NONE;
                            boolean prunes = floor.isAbove(TreeVersion.NONE) && versionBefore.isAbove(floor);
                            return prunes ? raise(floor) : CompletableFuture.completedFuture(null);
                        })
                        .thenApply(done -> ROUND));
    }

    private CompletableFuture<Void> raise(TreeVersion floor) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (int shard = 0; shard < tree.shards(); shard++) {
            all = all.thenCombine(raise(tree.peers(), GroupId.ofShard(shard), floor, 0), (before, done) -> null);
        }
        return all;
    }

    /** Page by page: no shard decides on all it knows at once. */
    public static CompletableFuture<Void> raise(GroupPeers peers, GroupId shard, TreeVersion floor, long after) {
        AnnounceRequest request = AnnounceRequest.newBuilder()
                .setFloor(floor.value())
                .setForgetAfter(after)
                .build();
        return peers.call(shard, MetaMethods.ANNOUNCE, request)
                .thenCompose(reply -> reply.getForgetAfter() == 0
                        ? CompletableFuture.completedFuture(null)
                        : raise(peers, shard, floor, reply.getForgetAfter()));
    }
}
