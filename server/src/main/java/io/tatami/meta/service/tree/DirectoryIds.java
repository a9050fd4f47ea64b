package io.tatami.meta.service.tree;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.meta.op.tree.TakeDirectoryIds;
import io.tatami.meta.op.tree.wire.TakeIdsRequest;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.Placement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Ids for new directories, taken from the group's log many at a time: an id is on the wire before the directory it is
 * for is committed, and must never be given again. Safe for use by many threads.
 *
 * <p>The id decides which shard has the directory's entries. So a directory can be put into the shard of its parent, by
 * an id that falls there; the others go round the shards. As all ids of a range are used, each shard gets its part of
 * the directories in the end, and a parent's shard takes at most that in a row.
 */
public final class DirectoryIds {
    private static final int RANGE_MIN = 8_192;
    private static final int PER_SHARD_MIN = 64;
    private static final TakeDirectoryIds TAKE = new TakeDirectoryIds();

    private final Group<TreeState> group;
    private final int shards;

    /** By shard those that nobody has taken yet. */
    private final List<ArrayDeque<Long>> left;

    private int leftInAll;

    /** Whose turn it is. */
    private int turn;

    private CompletableFuture<Void> refill = CompletableFuture.completedFuture(null);

    DirectoryIds(Group<TreeState> group, int shards) {
        this.group = group;
        this.shards = shards;
        this.left = IntStream.range(0, shards)
                .mapToObj(shard -> new ArrayDeque<Long>())
                .toList();
    }

    private int range() {
        return Math.max(RANGE_MIN, PER_SHARD_MIN * shards);
    }

    /**
     * Ids for directories that are made in each other.
     *
     * @param parent of the first one
     * @param count at most {@value #RANGE_MIN}
     * @param following how many of the last ones are put into the shards of their parents, as far as that has ids left
     */
    public synchronized CompletableFuture<List<Long>> take(long parent, int count, int following) {
        Check.check(count <= RANGE_MIN, "%d ids at once", count);
        if (count <= leftInAll) {
            List<Long> taken = new ArrayList<>(count);
            long before = parent;
            for (int i = 0; i < count; i++) {
                before = i < count - following ? ofNext() : near(before);
                taken.add(before);
            }
            return CompletableFuture.completedFuture(taken);
        }
        if (refill.isDone()) {
            TakeIdsRequest request =
                    TakeIdsRequest.newBuilder().setCount(range()).build();
            refill = group.submit(TAKE, RequestOrigin.SERVICE, request)
                    .thenAccept(reply -> refilled(reply.getFirstId()));
        }
        return refill.thenCompose(done -> take(parent, count, following));
    }

    private long near(long parent) {
        ArrayDeque<Long> ids = left.get(shardOf(parent));
        return ids.isEmpty() ? ofNext() : from(ids);
    }

    /** There are some. */
    private long ofNext() {
        do {
            turn = (turn + 1) % shards;
        } while (left.get(turn).isEmpty());
        return from(left.get(turn));
    }

    private long from(ArrayDeque<Long> ids) {
        leftInAll--;
        return ids.removeFirst();
    }

    private int shardOf(long directory) {
        return Placement.firstShardOf(new DirectoryId(directory), shards);
    }

    private synchronized void refilled(long first) {
        for (long id = first; id < first + range(); id++) {
            left.get(shardOf(id)).addLast(id);
        }
        leftInAll += range();
    }
}
