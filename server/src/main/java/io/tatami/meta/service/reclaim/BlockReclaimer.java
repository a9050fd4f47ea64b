package io.tatami.meta.service.reclaim;

import io.tatami.base.Clock;
import io.tatami.base.CrashPoint;
import io.tatami.base.ServerId;
import io.tatami.meta.op.reclaim.ConfirmReclaim;
import io.tatami.meta.op.reclaim.ReclaimEntries;
import io.tatami.meta.op.reclaim.ReclaimQueue;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.Peers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.QueuedReclaim;
import io.tatami.meta.state.wire.ReclaimEntriesRequest;
import io.tatami.meta.state.wire.ReclaimPage;
import io.tatami.meta.state.wire.ReclaimPageRequest;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.Empty;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Works through a shard's queue of what is to be reclaimed, a page at a time, all servers of a page at once. What a
 * server has confirmed is off the queue; what one could not do now (it is silent) stays, holds up nobody else, and is
 * tried again after {@link #RETRY}. Nothing is forgotten in a crash: what was confirmed and not logged is asked for
 * again, and is gone already.
 *
 * <p>The fields belong to the runs of one background task, which never overlap.
 */
final class BlockReclaimer {
    static final Duration RETRY = Duration.ofSeconds(5);

    private static final int PAGE = 1_024;
    private static final int BLOCKS_PER_CALL = 512;
    private static final int ENTRIES_PER_BATCH = 256;

    /** A record that is queued ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    private final Group<ShardState> group;
    private final Peers peers;
    private final Clock clock;
    private final ReclaimQueue queue = new ReclaimQueue();
    private final ConfirmReclaim confirm = new ConfirmReclaim();
    private final ReclaimEntries entries = new ReclaimEntries();

    /** Everything up to this number was asked for in this sweep. */
    private long after;

    /** The highest number seen; what a sweep has left lies at or below it. */
    private long newest;

    private boolean sweeping;
    private boolean leftBehind;

    /** Only meaningful where something was left behind. */
    private long retryAtNanos;

    BlockReclaimer(GroupParts<ShardState> parts) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.clock = parts.clock();
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        if (!sweeping) {
            beginSweep();
        }
        ReclaimPageRequest next =
                ReclaimPageRequest.newBuilder().setAfter(after).setLimit(PAGE).build();
        return group.read(queue, RequestOrigin.SERVICE, next).thenCompose(this::reclaim);
    }

    /** Over all that was left behind, where it is time to try that again; else over what came since. */
    private void beginSweep() {
        sweeping = true;
        boolean again = leftBehind && clock.monotonicNanos() - retryAtNanos >= 0;
        after = again ? 0 : newest;
        leftBehind &= !again;
    }

    private CompletableFuture<Duration> reclaim(ReclaimPage page) {
        if (page.getItemCount() == 0) {
            return CompletableFuture.completedFuture(endSweep());
        }
        SortedMap<Integer, List<QueuedReclaim>> byServer = new TreeMap<>();
        List<CompletableFuture<Boolean>> parts = new ArrayList<>();
        for (QueuedReclaim item : page.getItemList()) {
            if (item.getRecord().getDirectoryId() != 0) {
                parts.add(emptyDirectory(item.getNumber()));
            } else if (item.getRecord().getServerIdCount() == 0) {
                parts.add(confirm(ServerId.NONE.value(), List.of(item.getNumber())));
            }
            for (int server : item.getRecord().getServerIdList()) {
                byServer.computeIfAbsent(server, absent -> new ArrayList<>()).add(item);
            }
        }
        Set<Integer> gone = goneServers();
        byServer.forEach((server, items) -> {
            for (int i = 0; i < items.size(); i += BLOCKS_PER_CALL) {
                List<QueuedReclaim> some = items.subList(i, Math.min(items.size(), i + BLOCKS_PER_CALL));
                parts.add(gone.contains(server) ? confirm(server, numbers(some)) : delete(server, some));
            }
        });
        long last = page.getItem(page.getItemCount() - 1).getNumber();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> endPage(last, parts));
    }

    private Duration endSweep() {
        sweeping = false;
        long untilRetryNanos = Math.max(0, retryAtNanos - clock.monotonicNanos());
        return leftBehind ? Duration.ofNanos(untilRetryNanos) : REST;
    }

    private Duration endPage(long last, List<CompletableFuture<Boolean>> parts) {
        for (CompletableFuture<Boolean> part : parts) {
            if (!part.join() && !leftBehind) {
                leftBehind = true;
                retryAtNanos = clock.monotonicNanos() + RETRY.toNanos();
            }
        }
        after = last;
        newest = Math.max(newest, last);
        return Duration.ZERO;
    }

    /** Completes with whether the server has none of these blocks any more; a server that fails is no failure here. */
    private CompletableFuture<Boolean> delete(int server, List<QueuedReclaim> items) {
        DeleteBlocksRequest.Builder request = DeleteBlocksRequest.newBuilder();
        Map<Long, Long> numberOfBlock = new TreeMap<>();
        for (QueuedReclaim item : items) {
            request.addItem(DeleteBlocksRequest.Item.newBuilder()
                    .setBlockId(item.getRecord().getBlockId())
                    .setGeneration(item.getRecord().getGeneration()));
            numberOfBlock.put(item.getRecord().getBlockId(), item.getNumber());
        }
        return peers.callBlockServer(new ServerId(server), BlockMethods.DELETE_BLOCKS, request.build())
                .thenCompose(reply -> confirmDeleted(server, numberOfBlock, reply))
                .exceptionally(failure -> false);
    }

    private CompletableFuture<Boolean> confirmDeleted(
            int server, Map<Long, Long> numberOfBlock, DeleteBlocksReply reply) {
        CrashPoint.hit("meta.reclaim.deleted");
        List<Long> numbers = new ArrayList<>();
        for (long block : reply.getDeletedBlockIdList()) {
            Long number = numberOfBlock.get(block);
            if (number != null) {
                numbers.add(number);
            }
        }
        boolean all = numbers.size() == numberOfBlock.size();
        return numbers.isEmpty()
                ? CompletableFuture.completedFuture(all)
                : confirm(server, numbers).thenApply(done -> all);
    }

    private CompletableFuture<Boolean> confirm(int server, List<Long> numbers) {
        ConfirmReclaimRequest confirmed = ConfirmReclaimRequest.newBuilder()
                .setServerId(server)
                .addAllNumber(numbers)
                .build();
        CompletableFuture<Empty> logged = group.submit(confirm, RequestOrigin.SERVICE, confirmed);
        return logged.thenApply(done -> true);
    }

    /** Completes with whether the directory is empty now: an entry that is being moved makes it wait. */
    private CompletableFuture<Boolean> emptyDirectory(long number) {
        ReclaimEntriesRequest some = ReclaimEntriesRequest.newBuilder()
                .setNumber(number)
                .setLimit(ENTRIES_PER_BATCH)
                .build();
        return group.submit(entries, RequestOrigin.SERVICE, some).thenCompose(reply -> {
            CrashPoint.hit("meta.reclaim.entries");
            if (reply.getDone()) {
                return CompletableFuture.completedFuture(true);
            }
            return reply.getRemoved() > 0 ? emptyDirectory(number) : CompletableFuture.completedFuture(false);
        });
    }

    private Set<Integer> goneServers() {
        Set<Integer> gone = new HashSet<>();
        for (BlockServerInfo server : peers.map().getBlockServerList()) {
            if (server.getState() == BlockServerInfo.State.GONE) {
                gone.add(server.getServerId());
            }
        }
        return gone;
    }

    private static List<Long> numbers(List<QueuedReclaim> items) {
        return items.stream().map(QueuedReclaim::getNumber).toList();
    }
}
