package io.tatami.meta.service.tree;

import io.tatami.base.Check;
import io.tatami.base.GroupId;
import io.tatami.meta.service.GroupPeers;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.AnnounceReply;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.TreeChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends announcements to one shard. One message is on its way at a time; announcements that come meanwhile go together
 * in the next. At most as many wait as there are requests in flight. Safe for use by many threads.
 */
final class ShardAnnouncer {
    private final GroupId shard;
    private final GroupPeers peers;
    private final long timeoutMillis;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private boolean sending;

    ShardAnnouncer(GroupId shard, GroupPeers peers, long timeoutMillis) {
        this.shard = shard;
        this.peers = peers;
        this.timeoutMillis = timeoutMillis;
    }

    private record Waiting(List<TreeChange> changes, CompletableFuture<Told> told) {}

    /**
     * What a shard answers.
     *
     * @param slices its shares of the directories, in order, read when it refuses older handles
     * @param movingTo the groups that may commit a move of a file out of this shard with an older handle
     */
    record Told(List<DirectorySlice> slices, List<Integer> movingTo) {}

    /** Announces changes of directories. */
    CompletableFuture<Told> announce(List<TreeChange> changes) {
        Check.check(changes.size() <= RequestLimits.TREE_CHANGES, "a change of %d directories", changes.size());
        Waiting request = new Waiting(changes, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(request);
            if (sending) {
                return request.told();
            }
            sending = true;
        }
        send();
        return request.told();
    }

    private void send() {
        List<Waiting> batch = nextBatch();
        if (batch.isEmpty()) {
            return;
        }
        AnnounceRequest.Builder message = AnnounceRequest.newBuilder();
        batch.forEach(request -> message.addAllChange(request.changes()));
        CompletableFuture<AnnounceReply> unused = peers.call(
                        shard, MetaMethods.ANNOUNCE, message.build(), timeoutMillis)
                .whenComplete((reply, failure) -> {
                    complete(batch, reply, failure);
                    send();
                });
    }

    private synchronized List<Waiting> nextBatch() {
        List<Waiting> batch = new ArrayList<>();
        int changes = 0;
        while (!waiting.isEmpty() && changes + waiting.element().changes().size() <= RequestLimits.TREE_CHANGES) {
            Waiting request = waiting.remove();
            changes += request.changes().size();
            batch.add(request);
        }
        sending = !batch.isEmpty();
        return batch;
    }

    private static void complete(List<Waiting> batch, @Nullable AnnounceReply reply, @Nullable Throwable failure) {
        int from = 0;
        for (Waiting request : batch) {
            if (reply == null) {
                request.told()
                        .completeExceptionally(
                                failure == null ? new IllegalStateException("no reply and no failure") : failure);
            } else {
                int to = from + request.changes().size();
                request.told().complete(new Told(reply.getSliceList().subList(from, to), reply.getMovingToList()));
                from = to;
            }
        }
    }
}
