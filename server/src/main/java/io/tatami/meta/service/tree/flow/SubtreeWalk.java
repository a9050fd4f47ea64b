package io.tatami.meta.service.tree.flow;

import io.tatami.base.GroupId;
import io.tatami.meta.op.tree.ListChildren;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.op.tree.wire.ChildrenReply;
import io.tatami.meta.op.tree.wire.ChildrenRequest;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.SettleMovesRequest;
import io.tatami.protocol.wire.SumSharesRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Goes through a directory and all below it in depth, some hundred directories at a time: their sub-directories are
 * asked of the tree page by page, their shares of each shard in one call. What waits in memory grows with the depth of
 * the subtree and not with its size. What changes meanwhile may be seen or not. One walk has one step under way at a
 * time, and may rest between steps.
 */
final class SubtreeWalk {
    private static final int DIRECTORIES_MAX = 256;
    private static final int CHILDREN_MAX = 4_096;
    private static final int DIRECTORIES_OF_A_PART = 4_000;
    private static final ListChildren LIST = new ListChildren();

    private final LeaderTree tree;
    private final Visitor visitor;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long listed;

    SubtreeWalk(LeaderTree tree, Directory root, Visitor visitor) {
        this.tree = tree;
        this.visitor = visitor;
        waiting.push(new Waiting(root, ""));
    }

    /** A directory that was found, and the path that leads to it. */
    record Directory(Child child, String path) {
        Directory below(Child sub) {
            return new Directory(sub, path.endsWith("/") ? path + sub.getName() : path + "/" + sub.getName());
        }
    }

    /**
     * Some of a directory's sub-directories.
     *
     * @param first whether no page of the directory came before
     * @param slices of all shards that hold entries of the directory
     */
    record Page(Directory directory, boolean first, List<Child> children, List<DirectorySlice> slices) {}

    /** Told of one page after another; a failure ends the walk. */
    @FunctionalInterface
    interface Visitor {
        CompletableFuture<Void> visit(Page page);
    }

    /** A directory that is to be listed from a name on. */
    private record Waiting(Directory directory, String after) {
        long id() {
            return directory.child().getDirectoryId();
        }
    }

    /** Some directories, and what was asked about them. */
    private record Level(List<Waiting> directories, ChildrenReply reply, Map<Long, List<DirectorySlice>> slices) {}

    /** Walks on to the end. */
    CompletableFuture<Void> toEnd() {
        return until(Long.MAX_VALUE).thenApply(end -> null);
    }

    /** Walks on through as many as one request should; whether it is at its end then. */
    CompletableFuture<Boolean> goOn() {
        return until(listed + DIRECTORIES_OF_A_PART);
    }

    private CompletableFuture<Boolean> until(long enough) {
        if (waiting.isEmpty() || listed >= enough) {
            return CompletableFuture.completedFuture(waiting.isEmpty());
        }
        List<Waiting> some = new ArrayList<>();
        ChildrenRequest.Builder request = ChildrenRequest.newBuilder().setLimit(CHILDREN_MAX);
        while (!waiting.isEmpty() && some.size() < DIRECTORIES_MAX) {
            Waiting directory = waiting.pop();
            some.add(directory);
            request.addFrom(ChildrenRequest.From.newBuilder()
                    .setDirectoryId(directory.id())
                    .setAfter(directory.after()));
        }
        return tree.group()
                .read(LIST, RequestOrigin.SERVICE, request.build())
                .thenCombine(slices(some), (reply, slices) -> new Level(some, reply, slices))
                .thenCompose(this::visit)
                .thenCompose(done -> until(enough));
    }

    private CompletableFuture<Void> visit(Level level) {
        Map<Long, List<Child>> children = new HashMap<>();
        for (Child child : level.reply().getChildList()) {
            children.computeIfAbsent(child.getParentId(), id -> new ArrayList<>())
                    .add(child);
        }
        List<Waiting> begun = putBack(level);
        listed += begun.size();
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (Waiting one : begun) {
            List<Child> below = children.getOrDefault(one.id(), List.of());
            below.forEach(child -> waiting.push(new Waiting(one.directory().below(child), "")));
            Page page = new Page(
                    one.directory(),
                    one.after().isEmpty(),
                    below,
                    level.slices().getOrDefault(one.id(), List.of()));
            all = all.thenCompose(before -> visitor.visit(page));
        }
        return all;
    }

    /**
     * Puts back what was not listed to its end, to come after what was found; returns those that were listed at all.
     */
    private List<Waiting> putBack(Level level) {
        int complete = level.reply().getComplete();
        String after = level.reply().getAfter();
        List<Waiting> directories = level.directories();
        int begun = after.isEmpty() ? complete : complete + 1;
        for (int i = directories.size() - 1; i >= begun; i--) {
            waiting.push(directories.get(i));
        }
        if (begun > complete) {
            waiting.push(new Waiting(directories.get(complete).directory(), after));
        }
        return directories.subList(0, begun);
    }

    /** What shards hold of some directories, each entry in one of them; by directory. */
    private CompletableFuture<Map<Long, List<DirectorySlice>>> slices(List<Waiting> some) {
        return asFound(some).thenCompose(found -> {
            Map<Long, List<DirectorySlice>> slices = new HashMap<>();
            for (DirectorySlice slice : found) {
                slices.computeIfAbsent(slice.getDirectoryId(), id -> new ArrayList<>())
                        .add(slice);
            }
            CompletableFuture<Map<Long, List<DirectorySlice>>> all = CompletableFuture.completedFuture(slices);
            for (Waiting one : some) {
                Division division = division(one.directory().child(), slices.getOrDefault(one.id(), List.of()));
                if (division.from() > 0) {
                    all = all.thenCombine(sums(one.id(), division), (before, sums) -> {
                        before.put(one.id(), sums);
                        return before;
                    });
                }
            }
            return all;
        });
    }

    /**
     * How a directory is divided over more shards.
     *
     * @param from over how many it was before; 0 where nothing is known of a division
     * @param spread over how many it is since
     */
    private record Division(int from, int spread) {}

    /** The shards may have begun since the directory was listed; they begin with the next division after the last. */
    private static Division division(Child child, List<DirectorySlice> slices) {
        int given = latest(slices);
        return given > child.getSpread()
                ? new Division(given / 2, given)
                : new Division(child.getWideningFrom(), child.getSpread());
    }

    /** The spread for which a shard began to give entries away last. */
    private static int latest(List<DirectorySlice> slices) {
        return slices.stream().mapToInt(DirectorySlice::getGivenSpread).max().orElse(0);
    }

    /** What each shard that gets a part, and the one that gives it, hold together. */
    private CompletableFuture<List<DirectorySlice>> sums(long directory, Division division) {
        CompletableFuture<List<DirectorySlice>> all = CompletableFuture.completedFuture(List.of());
        for (GroupId receiver :
                tree.shardsOf(directory, division.spread()).subList(division.from(), division.spread())) {
            SumSharesRequest request = SumSharesRequest.newBuilder()
                    .setDirectoryId(directory)
                    .setFromSpread(division.from())
                    .setSpread(division.spread())
                    .build();
            all = all.thenCombine(tree.peers().call(receiver, MetaMethods.SUM_SHARES, request), SubtreeWalk::with);
        }
        return all.thenCompose(sums -> {
            int given = latest(sums);
            return given > division.spread()
                    ? sums(directory, new Division(given / 2, given))
                    : CompletableFuture.completedFuture(sums);
        });
    }

    private static List<DirectorySlice> with(List<DirectorySlice> before, DirectorySlice more) {
        List<DirectorySlice> joined = new ArrayList<>(before);
        joined.add(more);
        return joined;
    }

    private CompletableFuture<List<DirectorySlice>> asFound(List<Waiting> some) {
        Map<GroupId, ReadSharesRequest.Builder> requests = new HashMap<>();
        for (Waiting one : some) {
            for (GroupId shard : tree.shardsOf(one.id(), one.directory().child().getSpread())) {
                requests.computeIfAbsent(shard, key -> ReadSharesRequest.newBuilder())
                        .addDirectoryId(one.id());
            }
        }
        CompletableFuture<List<DirectorySlice>> all = CompletableFuture.completedFuture(List.of());
        for (Map.Entry<GroupId, ReadSharesRequest.Builder> entry : requests.entrySet()) {
            all = all.thenCombine(sharesOf(entry.getKey(), entry.getValue().build()), (before, reply) -> {
                List<DirectorySlice> joined = new ArrayList<>(before);
                joined.addAll(reply.getSliceList());
                return joined;
            });
        }
        return all;
    }

    /**
     * A client that renamed a file into another shard has its answer before the shard that had the file drops it; for
     * whoever asks after that answer, it must not be in both sums.
     */
    private CompletableFuture<ReadSharesReply> sharesOf(GroupId shard, ReadSharesRequest request) {
        return tree.peers().call(shard, MetaMethods.READ_SHARES, request).thenCompose(reply -> {
            List<Long> moving = reply.getSliceList().stream()
                    .filter(slice -> slice.getMoving() > 0)
                    .map(DirectorySlice::getDirectoryId)
                    .toList();
            if (moving.isEmpty()) {
                return CompletableFuture.completedFuture(reply);
            }
            SettleMovesRequest settle =
                    SettleMovesRequest.newBuilder().addAllDirectoryId(moving).build();
            return tree.peers()
                    .call(shard, MetaMethods.SETTLE_MOVES, settle)
                    .thenCompose(settled -> tree.peers().call(shard, MetaMethods.READ_SHARES, request));
        });
    }
}
