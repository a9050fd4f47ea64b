package io.tatami.meta.service.tree;

import io.tatami.base.Check;
import io.tatami.meta.op.tree.TakeDirectoryIds;
import io.tatami.meta.op.tree.wire.TakeIdsRequest;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.TreeState;
import java.util.concurrent.CompletableFuture;

/**
 * Ids for new directories, taken from the group's log many at a time: an id is on the wire before the directory it is
 * for is committed, and must never be given again. Safe for use by many threads.
 */
public final class DirectoryIds {
    private static final int RANGE = 8_192;
    private static final TakeDirectoryIds TAKE = new TakeDirectoryIds();

    private final Group<TreeState> group;
    private long next;
    private long end;
    private CompletableFuture<Void> refill = CompletableFuture.completedFuture(null);

    DirectoryIds(Group<TreeState> group) {
        this.group = group;
    }

    /** The first of {@code count} ids in a row, at most {@value #RANGE}. */
    public synchronized CompletableFuture<Long> take(int count) {
        Check.check(count <= RANGE, "%d ids at once", count);
        if (next + count <= end) {
            long first = next;
            next += count;
            return CompletableFuture.completedFuture(first);
        }
        if (refill.isDone()) {
            TakeIdsRequest request = TakeIdsRequest.newBuilder().setCount(RANGE).build();
            refill = group.submit(TAKE, RequestOrigin.SERVICE, request)
                    .thenAccept(reply -> refilled(reply.getFirstId()));
        }
        return refill.thenCompose(done -> take(count));
    }

    private synchronized void refilled(long first) {
        next = first;
        end = first + RANGE;
    }
}
