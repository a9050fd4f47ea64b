package io.tatami.meta.service.tree;

import io.tatami.base.GroupId;
import io.tatami.meta.op.tree.ListChildren;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.op.tree.wire.ChildrenRequest;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.Share;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Goes through a directory and all below it, some hundred directories at a time: their sub-directories are asked of the
 * tree, their shares of each shard in one call. What changes meanwhile may be seen or not.
 */
final class SubtreeWalk {
    private static final int DIRECTORIES_MAX = 256;
    private static final ListChildren LIST = new ListChildren();

    private final LeaderTree tree;
    private final Visitor visitor;
    private final ArrayDeque<Directory> waiting = new ArrayDeque<>();

    SubtreeWalk(LeaderTree tree, Visitor visitor) {
        this.tree = tree;
        this.visitor = visitor;
    }

    /** A directory that was found, and the path that leads to it. */
    record Directory(Child child, String path) {
        Directory below(Child sub) {
            return new Directory(sub, path.endsWith("/") ? path + sub.getName() : path + "/" + sub.getName());
        }
    }

    /** Told of one directory after another; a failure ends the walk. */
    @FunctionalInterface
    interface Visitor {
        /** @param shares of all shards that hold entries of the directory */
        CompletableFuture<Void> visit(Directory directory, List<Child> children, List<Share> shares);
    }

    /** Called once. */
    CompletableFuture<Void> from(Directory root) {
        waiting.add(root);
        return next();
    }

    private CompletableFuture<Void> next() {
        Map<Long, Directory> some = new HashMap<>();
        while (!waiting.isEmpty() && some.size() < DIRECTORIES_MAX) {
            Directory directory = waiting.remove();
            some.put(directory.child().getDirectoryId(), directory);
        }
        if (some.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        ChildrenRequest request =
                ChildrenRequest.newBuilder().addAllDirectoryId(some.keySet()).build();
        return tree.group()
                .read(LIST, RequestOrigin.SERVICE, request)
                .thenCombine(shares(some), (children, shares) -> new Level(some, children.getChildList(), shares))
                .thenCompose(this::visit)
                .thenCompose(done -> next());
    }

    /** Some directories, and what was asked about them. */
    private record Level(Map<Long, Directory> directories, List<Child> children, List<Share> shares) {}

    private CompletableFuture<Void> visit(Level level) {
        Map<Long, List<Child>> childrenOf = new HashMap<>();
        for (Child child : level.children()) {
            childrenOf
                    .computeIfAbsent(child.getParentId(), id -> new ArrayList<>())
                    .add(child);
        }
        Map<Long, List<Share>> sharesOf = new HashMap<>();
        for (Share share : level.shares()) {
            sharesOf.computeIfAbsent(share.getDirectoryId(), id -> new ArrayList<>())
                    .add(share);
        }
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (Map.Entry<Long, Directory> entry : level.directories().entrySet()) {
            Directory directory = entry.getValue();
            List<Child> below = childrenOf.getOrDefault(entry.getKey(), List.of());
            below.forEach(child -> waiting.add(directory.below(child)));
            List<Share> own = sharesOf.getOrDefault(entry.getKey(), List.of());
            all = all.thenCompose(before -> visitor.visit(directory, below, own));
        }
        return all;
    }

    private CompletableFuture<List<Share>> shares(Map<Long, Directory> some) {
        Map<GroupId, ReadSharesRequest.Builder> requests = new HashMap<>();
        some.forEach((id, directory) -> {
            for (GroupId shard : tree.shardsOf(id, directory.child().getSpread())) {
                requests.computeIfAbsent(shard, key -> ReadSharesRequest.newBuilder())
                        .addDirectoryId(id);
            }
        });
        CompletableFuture<List<Share>> all = CompletableFuture.completedFuture(List.of());
        for (Map.Entry<GroupId, ReadSharesRequest.Builder> entry : requests.entrySet()) {
            all = all.thenCombine(
                    tree.peers()
                            .call(
                                    entry.getKey(),
                                    MetaMethods.READ_SHARES,
                                    entry.getValue().build()),
                    (before, reply) -> {
                        List<Share> joined = new ArrayList<>(before);
                        joined.addAll(reply.getShareList());
                        return joined;
                    });
        }
        return all;
    }
}
