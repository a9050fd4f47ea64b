package io.tatami.meta.service.reclaim;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.reclaim.ConfirmReclaim;
import io.tatami.meta.op.reclaim.ReclaimEntries;
import io.tatami.meta.op.reclaim.ReclaimQueue;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.reclaim.Backlog.Left;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.QueuedReclaim;
import io.tatami.meta.state.wire.ReclaimEntriesRequest;
import io.tatami.meta.state.wire.ReclaimPageRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Works through a shard's queue of what is to be reclaimed, a page at a time, all servers of a page at once. What a
 * server has confirmed is off the queue. Of a server that could not do all of it now a {@link Backlog} is kept, which
 * holds up nobody else: it is looked through when the server may be able to, and what comes to the queue for a silent
 * server waits there. Of directories that could not be emptied the numbers are kept, {@value #DIRECTORIES_MAX} at most;
 * where there are more, the queue is read again from the first of them when those are done. Nothing is forgotten in a
 * crash: what was confirmed and not logged is asked for again, and is gone already.
 *
 * <p>The fields belong to the runs of one background task, which never overlap.
 */
final class BlockReclaimer {
    static final int DIRECTORIES_MAX = 1_024;

    private static final int PAGE = 1_024;
    private static final int BLOCKS_PER_CALL = 512;
    private static final int SERVERS_PER_RUN = 16;
    private static final int ENTRIES_PER_BATCH = 256;

    private static final Duration DIRECTORIES_PAUSE = Duration.ofSeconds(5);

    /** A record that is queued ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    /** Between two looks at the cluster map while a server has a backlog. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final Clock clock;
    private final ReclaimQueue queue = new ReclaimQueue();
    private final ConfirmReclaim confirm = new ConfirmReclaim();
    private final ReclaimEntries entries = new ReclaimEntries();

    /** The queue up to this number is done, but for what the backlogs and the directories below say. */
    private long after;

    private final Map<ServerId, Backlog> backlogs = new TreeMap<>();
    private final SortedSet<Long> directories = new TreeSet<>();

    /** The first directory that could not be emptied and found no room. */
    private long firstUnkept = Long.MAX_VALUE;

    private long directoriesDueNanos;

    BlockReclaimer(PartContext<ShardState> parts) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.clock = parts.clock();
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        return retryDirectories()
                .thenCompose(done -> readNew())
                .thenCompose(more -> sweepBacklogs().thenApply(swept -> rest(more || swept)));
    }

    private Duration rest(boolean more) {
        if (more) {
            return Duration.ZERO;
        }
        return backlogs.isEmpty() && directories.isEmpty() ? REST : LOOK;
    }

    /** Completes with whether there may be more to read. */
    private CompletableFuture<Boolean> readNew() {
        ReclaimPageRequest next =
                ReclaimPageRequest.newBuilder().setAfter(after).setLimit(PAGE).build();
        return group.read(queue, RequestOrigin.SERVICE, next).thenCompose(page -> {
            if (page.getItemCount() == 0) {
                return CompletableFuture.completedFuture(false);
            }
            return reclaim(page.getItemList()).thenApply(done -> {
                after = page.getUpTo();
                return true;
            });
        });
    }

    private CompletableFuture<Void> reclaim(List<QueuedReclaim> items) {
        SortedMap<ServerId, List<QueuedReclaim>> byServer = new TreeMap<>();
        List<CompletableFuture<?>> parts = new ArrayList<>();
        List<Long> inDirectories = new ArrayList<>();
        for (QueuedReclaim item : items) {
            if (item.getRecord().getDirectoryId() != 0) {
                inDirectories.add(item.getNumber());
            } else if (item.getRecord().getServerIdCount() == 0) {
                parts.add(confirm(ServerId.NONE, List.of(item.getNumber())));
            }
            for (ServerId server : ServerId.listOf(item.getRecord().getServerIdList())) {
                byServer.computeIfAbsent(server, absent -> new ArrayList<>()).add(item);
            }
        }
        byServer.keySet().removeIf(server -> isSilent(server));
        Map<ServerId, State> states = states();
        Map<ServerId, CompletableFuture<Left>> left = new TreeMap<>();
        byServer.forEach((server, of) -> left.put(server, delete(server, states.get(server), of)));
        parts.addAll(left.values());
        parts.add(empty(inDirectories));
        return allOf(parts).thenAccept(all -> left.forEach((server, of) -> noteLeft(server, of.join())));
    }

    private boolean isSilent(ServerId server) {
        Backlog backlog = backlogs.get(server);
        return backlog != null && backlog.isSilent();
    }

    /** What is new lies above where any sweep is. */
    private void noteLeft(ServerId server, Left left) {
        Backlog known = backlogs.get(server);
        if (left.any() && known == null) {
            backlogs.put(server, new Backlog(left, clock.monotonicNanos()));
        } else if (left.silent() && known != null) {
            known.fellSilent();
        }
    }

    /** One page of each of some backlogs that are due. Completes with whether there may be more to read. */
    private CompletableFuture<Boolean> sweepBacklogs() {
        Map<ServerId, State> states = states();
        long now = clock.monotonicNanos();
        List<CompletableFuture<Swept>> sweeps = new ArrayList<>();
        backlogs.forEach((server, backlog) -> {
            boolean due = backlog.isDue(states.get(server) == State.DEAD, now);
            if (due && sweeps.size() < SERVERS_PER_RUN) {
                sweeps.add(sweep(server, states.get(server), backlog.cursor()));
            }
        });
        return allOf(sweeps).thenApply(all -> {
            for (CompletableFuture<Swept> sweep : sweeps) {
                Swept swept = sweep.join();
                Backlog backlog = Objects.requireNonNull(backlogs.get(swept.server()));
                if (backlog.advance(swept.left(), swept.upTo(), swept.isLast(), clock.monotonicNanos())) {
                    backlogs.remove(swept.server());
                }
            }
            return !sweeps.isEmpty();
        });
    }

    /** What came of a page of a backlog. */
    private record Swept(ServerId server, Left left, long upTo, boolean isLast) {}

    private CompletableFuture<Swept> sweep(ServerId server, @Nullable State state, long cursor) {
        ReclaimPageRequest next = ReclaimPageRequest.newBuilder()
                .setAfter(cursor)
                .setLimit(BLOCKS_PER_CALL)
                .setServerId(server.value())
                .setLast(after)
                .build();
        return group.read(queue, RequestOrigin.SERVICE, next).thenCompose(page -> {
            CompletableFuture<Left> left = page.getItemCount() == 0
                    ? CompletableFuture.completedFuture(Left.NOTHING)
                    : delete(server, state, page.getItemList());
            return left.thenApply(of -> new Swept(server, of, page.getUpTo(), page.getIsLast()));
        });
    }

    /** Completes with what the server has left of these blocks; a server that fails is no failure here. */
    private CompletableFuture<Left> delete(ServerId server, @Nullable State state, List<QueuedReclaim> items) {
        if (state == State.DEAD) {
            return CompletableFuture.completedFuture(unanswered(items));
        }
        List<CompletableFuture<Left>> parts = new ArrayList<>();
        for (int i = 0; i < items.size(); i += BLOCKS_PER_CALL) {
            List<QueuedReclaim> some = items.subList(i, Math.min(items.size(), i + BLOCKS_PER_CALL));
            parts.add(
                    state == State.GONE
                            ? confirm(server, numbers(some)).thenApply(done -> Left.NOTHING)
                            : delete(server, some));
        }
        return allOf(parts)
                .thenApply(all -> parts.stream().map(CompletableFuture::join).reduce(Left.NOTHING, Left::and));
    }

    private CompletableFuture<Left> delete(ServerId server, List<QueuedReclaim> items) {
        DeleteBlocksRequest.Builder request = DeleteBlocksRequest.newBuilder();
        Map<Long, Long> numberOfBlock = new TreeMap<>();
        // The answer names blocks: two copies of one block are deleted by two requests.
        List<QueuedReclaim> others = new ArrayList<>();
        for (QueuedReclaim item : items) {
            ReclaimRecord record = item.getRecord();
            if (numberOfBlock.putIfAbsent(record.getBlockId(), item.getNumber()) != null) {
                others.add(item);
                continue;
            }
            request.addItem(DeleteBlocksRequest.Item.newBuilder()
                    .setBlockId(record.getBlockId())
                    .setGeneration(record.getGeneration())
                    .setCopyNumber(copyNumber(record, server)));
        }
        CompletableFuture<Left> deleted = peers.callBlockServer(server, BlockMethods.DELETE_BLOCKS, request.build())
                .thenCompose(reply -> confirmDeleted(server, numberOfBlock, reply))
                .exceptionally(failure -> unanswered(items));
        return others.isEmpty() ? deleted : deleted.thenCombine(delete(server, others), Left::and);
    }

    private static int copyNumber(ReclaimRecord record, ServerId server) {
        return BlockCopies.reclaimed(record).stream()
                .filter(copy -> copy.server().equals(server))
                .mapToInt(Copy::number)
                .findFirst()
                .orElse(0);
    }

    private static Left unanswered(List<QueuedReclaim> items) {
        return new Left(items.get(0).getNumber(), true);
    }

    private CompletableFuture<Left> confirmDeleted(
            ServerId server, Map<Long, Long> numberOfBlock, DeleteBlocksReply reply) {
        CrashPoint.hit("meta.reclaim.deleted");
        List<Long> numbers = new ArrayList<>();
        Map<Long, Long> left = new TreeMap<>(numberOfBlock);
        for (long block : reply.getDeletedBlockIdList()) {
            Long number = left.remove(block);
            if (number != null) {
                numbers.add(number);
            }
        }
        Left of = left.isEmpty() ? Left.NOTHING : new Left(Collections.min(left.values()), false);
        return numbers.isEmpty()
                ? CompletableFuture.completedFuture(of)
                : confirm(server, numbers).thenApply(done -> of);
    }

    private CompletableFuture<Void> confirm(ServerId server, List<Long> numbers) {
        ConfirmReclaimRequest confirmed = ConfirmReclaimRequest.newBuilder()
                .setServerId(server.value())
                .addAllNumber(numbers)
                .build();
        return group.submit(confirm, RequestOrigin.SERVICE, confirmed).thenApply(done -> null);
    }

    private CompletableFuture<Void> retryDirectories() {
        if (directories.isEmpty() || clock.monotonicNanos() - directoriesDueNanos < 0) {
            return CompletableFuture.completedFuture(null);
        }
        return empty(List.copyOf(directories)).thenAccept(done -> {
            if (directories.isEmpty() && firstUnkept != Long.MAX_VALUE) {
                after = firstUnkept - 1;
                firstUnkept = Long.MAX_VALUE;
            }
        });
    }

    /** Those that could not be emptied are tried again after a pause. */
    private CompletableFuture<Void> empty(List<Long> numbers) {
        Map<Long, CompletableFuture<Boolean>> emptied = new TreeMap<>();
        numbers.forEach(number -> emptied.put(number, emptyDirectory(number)));
        return allOf(emptied.values())
                .thenAccept(all -> emptied.forEach((number, done) -> {
                    if (done.join()) {
                        directories.remove(number);
                    } else if (directories.contains(number) || directories.size() < DIRECTORIES_MAX) {
                        directories.add(number);
                        directoriesDueNanos = clock.monotonicNanos() + DIRECTORIES_PAUSE.toNanos();
                    } else {
                        firstUnkept = Math.min(firstUnkept, number);
                    }
                }));
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

    private Map<ServerId, State> states() {
        Map<ServerId, State> states = new HashMap<>();
        for (BlockServerInfo server : peers.map().getBlockServerList()) {
            states.put(new ServerId(server.getServerId()), server.getState());
        }
        return states;
    }

    private static CompletableFuture<Void> allOf(Collection<? extends CompletableFuture<?>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
    }

    private static List<Long> numbers(List<QueuedReclaim> items) {
        return items.stream().map(QueuedReclaim::getNumber).toList();
    }
}
