package io.tatami.meta.service.tree.flow;

import io.tatami.base.GroupId;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.reclaim.EndUnhooked;
import io.tatami.meta.op.reclaim.ListUnhooked;
import io.tatami.meta.op.tree.wire.EndUnhookedRequest;
import io.tatami.meta.op.tree.wire.ListUnhookedRequest;
import io.tatami.meta.op.tree.wire.Unhooked;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Hands what is unhooked from the tree to the shards, level by level. Each step may be repeated: an intent ends only
 * after every shard of the directory has made the reclamation its own and the sub-directories have intents themselves.
 */
final class SubtreeReclaimer implements BackgroundTask {
    private static final int DIRECTORIES_MAX = 128;
    private static final Duration REST = Duration.ofMinutes(1);

    /** Nobody waits for a hand-over, and one of many directories costs each group as many entries as that of one. */
    private static final Duration BETWEEN_HAND_OVERS = Duration.ofMillis(100);

    private static final ListUnhooked LIST = new ListUnhooked();
    private static final EndUnhooked END = new EndUnhooked();

    private final LeaderTree tree;

    /**
     * Intents before this one have ended. Lists begin here, as a scan from the first intent that ever was walks over
     * all that ended and are not compacted yet. Numbers are never given twice.
     */
    private volatile long oldest;

    /** Whether the last run found as many directories as it may. */
    private volatile boolean isBehind;

    SubtreeReclaimer(LeaderTree tree) {
        this.tree = tree;
    }

    /** What is deleted one after the other is handed over together, as long as that keeps up. */
    @Override
    public Duration leastRest() {
        return isBehind ? Duration.ZERO : BETWEEN_HAND_OVERS;
    }

    @Override
    public CompletableFuture<Duration> run() {
        ListUnhookedRequest request = ListUnhookedRequest.newBuilder()
                .setLimit(DIRECTORIES_MAX)
                .setFrom(oldest)
                .build();
        return tree.term()
                .thenCompose(changes -> tree.group().read(LIST, RequestOrigin.SERVICE, request))
                .thenCompose(reply -> {
                    oldest = Math.max(oldest, reply.getOldest());
                    isBehind = reply.getFull() && reply.getUnhookedCount() > 0;
                    return reply.getUnhookedCount() == 0
                            ? CompletableFuture.completedFuture(REST)
                            : reclaim(reply.getUnhookedList());
                });
    }

    private CompletableFuture<Duration> reclaim(List<Unhooked> unhooked) {
        return handOver(unhooked)
                .thenCompose(done -> {
                    CrashPoint.hit("meta.reclaim-subtree.handed-over");
                    EndUnhookedRequest.Builder end = EndUnhookedRequest.newBuilder();
                    unhooked.forEach(directory -> end.addNumber(directory.getNumber()));
                    return tree.group().submit(END, RequestOrigin.SERVICE, end.build());
                })
                .thenApply(done -> Duration.ZERO);
    }

    private CompletableFuture<Void> handOver(List<Unhooked> unhooked) {
        Map<GroupId, ReclaimDirectoriesRequest.Builder> requests = new TreeMap<>();
        for (Unhooked directory : unhooked) {
            for (GroupId shard : tree.shardsOf(directory.getDirectoryId(), directory.getSpread())) {
                requests.computeIfAbsent(shard, key -> ReclaimDirectoriesRequest.newBuilder())
                        .addDirectoryId(directory.getDirectoryId());
            }
        }
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (Map.Entry<GroupId, ReclaimDirectoriesRequest.Builder> entry : requests.entrySet()) {
            all = all.thenCombine(
                    tree.peers()
                            .call(
                                    entry.getKey(),
                                    MetaMethods.RECLAIM_DIRECTORIES,
                                    entry.getValue().build()),
                    (before, reply) -> null);
        }
        return all;
    }
}
