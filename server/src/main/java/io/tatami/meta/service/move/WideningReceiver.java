package io.tatami.meta.service.move;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.UnsettledException.EntriesNotArrived;
import io.tatami.meta.op.UnsettledException.EntryNotArrived;
import io.tatami.meta.op.shard.ReadSlices;
import io.tatami.meta.op.widen.ArriveEntries;
import io.tatami.meta.op.widen.ArriveEntry;
import io.tatami.meta.op.widen.EndArrival;
import io.tatami.meta.op.widen.ReadArrival;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArrivalRequest;
import io.tatami.meta.state.wire.ArriveEntriesRequest;
import io.tatami.meta.state.wire.ArriveEntryRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.SumSharesRequest;
import io.tatami.protocol.wire.TakeEntriesReply;
import io.tatami.protocol.wire.TakeEntriesRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes this shard's part of directories that were widened, from the shards that had it:
 *
 * <pre>
 *   receiver (here)                            giver
 *                   --- GIVE_ENTRIES ------->  drops what has arrived
 *                   &lt;-- the next entries ----
 *   ArriveEntries: they are here
 *                   ... until there are no more ...
 *                   --- GIVE_ENTRIES: all -->  drops the last
 *   EndArrival
 * </pre>
 *
 * Driven by the namespace group and by listings that have come to where entries have arrived; all who wait for one
 * directory share its steps. A request for a name that has not arrived waits for no more than that name: it is fetched
 * ahead of its turn. Safe for use by many threads.
 */
final class WideningReceiver {
    /** How many steps a request waits for, or one call of the namespace group does. */
    private static final int STEPS_MAX = 16;

    private static final long GIVE_TIMEOUT_MILLIS = 10_000;
    private static final ReadArrival READ = new ReadArrival();
    private static final ArriveEntries ARRIVE = new ArriveEntries();
    private static final ArriveEntry ARRIVE_ONE = new ArriveEntry();
    private static final EndArrival END = new EndArrival();
    private static final ReadSlices SHARES = ReadSlices.allowed();

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final int shards;

    /** The step under way of each directory, or the pause for a sum. */
    private final Map<Long, CompletableFuture<Arrival>> steps = new HashMap<>();

    /** Who waits for the sum of a directory, which is made as soon as no step is under way. */
    private final Map<Long, List<CompletableFuture<DirectorySlice>>> sums = new HashMap<>();

    WideningReceiver(PartContext<ShardState> parts) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.shards = parts.record().getShards();
    }

    /** What is taken of a directory. */
    private record Part(DirectoryId directory, int fromSpread, int spread) {
        ArrivalRequest request() {
            return ArrivalRequest.newBuilder()
                    .setDirectoryId(directory.value())
                    .setSpread(spread)
                    .build();
        }
    }

    /** Completes once what has the name, if anything has it, was fetched ahead of its turn. */
    CompletableFuture<Void> fetch(EntryNotArrived question) {
        GiveEntriesRequest request = GiveEntriesRequest.newBuilder()
                .setDirectoryId(question.directory().value())
                .setSpread(question.spread())
                .setToGroup(group.id().value())
                .setName(question.name())
                .build();
        GroupId giver = Arrivals.giverTo(group.id(), question.fromSpread(), shards);
        return peers.call(giver, MetaMethods.GIVE_ENTRIES, request, GIVE_TIMEOUT_MILLIS)
                .thenCompose(given -> {
                    CrashPoint.hit("meta.widen.fetched");
                    ArriveEntryRequest arrived = ArriveEntryRequest.newBuilder()
                            .setDirectoryId(question.directory().value())
                            .setSpread(question.spread())
                            .setName(question.name())
                            .setGiven(given)
                            .build();
                    return group.submit(ARRIVE_ONE, RequestOrigin.SERVICE, arrived);
                })
                .thenAccept(arrival -> {});
    }

    /** Completes once some that may be listed next have arrived; BUSY where that takes too long to wait for. */
    CompletableFuture<Void> settle(EntriesNotArrived question) {
        Part part = new Part(question.directory(), question.fromSpread(), question.spread());
        return advance(
                        part,
                        arrival -> arrival.getComplete() || Arrivals.compare(arrival.getUpTo(), question.next()) >= 0)
                .thenCompose(reached -> reached
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(new TatamiException(
                                ErrorCode.BUSY,
                                "directory " + question.directory()
                                        + " is being widened, and its entries after " + question.next()
                                        + " have not arrived in their new shard yet; ask again")));
    }

    /** The flow of TAKE_ENTRIES. */
    CompletableFuture<TakeEntriesReply> take(RequestOrigin origin, TakeEntriesRequest request) {
        Part part = new Part(new DirectoryId(request.getDirectoryId()), request.getFromSpread(), request.getSpread());
        return advance(part, Arrival::getEnded)
                .thenApply(
                        ended -> TakeEntriesReply.newBuilder().setEnded(ended).build());
    }

    /**
     * The flow of SUM_SHARES. Nothing arrives while the giver and this shard are asked for what they hold; what came in
     * its turn the giver drops first, and what was fetched ahead of it counts for the giver alone.
     */
    CompletableFuture<DirectorySlice> sum(RequestOrigin origin, SumSharesRequest request) {
        Part part = new Part(new DirectoryId(request.getDirectoryId()), request.getFromSpread(), request.getSpread());
        CompletableFuture<DirectorySlice> told = new CompletableFuture<>();
        CompletableFuture<Arrival> pause = new CompletableFuture<>();
        CompletableFuture<Arrival> running;
        synchronized (steps) {
            sums.computeIfAbsent(part.directory().value(), directory -> new ArrayList<>())
                    .add(told);
            running = steps.putIfAbsent(part.directory().value(), pause);
        }
        if (running == null) {
            pauseForSums(part, pause);
        }
        return told;
    }

    private void pauseForSums(Part part, CompletableFuture<Arrival> pause) {
        List<CompletableFuture<DirectorySlice>> waiting;
        synchronized (steps) {
            waiting = Objects.requireNonNullElse(sums.remove(part.directory().value()), List.of());
        }
        CompletableFuture<DirectorySlice> sum = group.read(READ, RequestOrigin.SERVICE, part.request())
                .thenCompose(arrival -> dropArrived(part, arrival))
                .thenCompose(dropped -> sum(part));
        CompletableFuture<Arrival> unused = sum.handle((slice, failure) -> {
                    waiting.forEach(one -> complete(one, slice, failure));
                    return slice;
                })
                .thenCompose(told -> group.read(READ, RequestOrigin.SERVICE, part.request()))
                .whenComplete((arrival, failure) -> over(part, pause, arrival, failure));
    }

    private CompletableFuture<?> dropArrived(Part part, Arrival arrival) {
        return arrival.getEnded() || arrival.getSpread() != part.spread()
                ? CompletableFuture.completedFuture(null)
                : give(part, arrival, true);
    }

    private CompletableFuture<DirectorySlice> sum(Part part) {
        ReadSharesRequest request = ReadSharesRequest.newBuilder()
                .addDirectoryId(part.directory().value())
                .build();
        return peers.call(giverOf(part), MetaMethods.READ_SHARES, request)
                .thenCombine(group.read(SHARES, RequestOrigin.SERVICE, request), (giver, here) -> {
                    DirectorySlice left = giver.getSlice(0);
                    DirectorySlice arrived = here.getSlice(0);
                    DirectorySlice copies = arrived.getCopies();
                    return DirectorySlice.newBuilder()
                            .setDirectoryId(part.directory().value())
                            .setFiles(left.getFiles() + arrived.getFiles() - copies.getFiles())
                            .setBytes(left.getBytes() + arrived.getBytes() - copies.getBytes())
                            .setSpaceConsumed(
                                    left.getSpaceConsumed() + arrived.getSpaceConsumed() - copies.getSpaceConsumed())
                            .setSymlinks(left.getSymlinks() + arrived.getSymlinks() - copies.getSymlinks())
                            .setGivenSpread(Math.max(left.getGivenSpread(), arrived.getGivenSpread()))
                            .build();
                });
    }

    private GroupId giverOf(Part part) {
        return Arrivals.giverTo(group.id(), part.fromSpread(), shards);
    }

    private static <T> void complete(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable failure) {
        if (value != null) {
            future.complete(value);
        } else {
            future.completeExceptionally(
                    failure == null ? new IllegalStateException("no value and no failure") : failure);
        }
    }

    /** Goes on until enough has arrived, or for so many steps that somebody else should have a turn: then false. */
    private CompletableFuture<Boolean> advance(Part part, Predicate<Arrival> enough) {
        return group.read(READ, RequestOrigin.SERVICE, part.request())
                .thenCompose(arrival -> advance(part, enough, arrival, STEPS_MAX));
    }

    private CompletableFuture<Boolean> advance(Part part, Predicate<Arrival> enough, Arrival arrival, int left) {
        return enough.test(arrival) || left == 0
                ? CompletableFuture.completedFuture(enough.test(arrival))
                : shared(part).thenCompose(next -> advance(part, enough, next, left - 1));
    }

    /** One step, which everybody who comes meanwhile waits for. */
    private CompletableFuture<Arrival> shared(Part part) {
        CompletableFuture<Arrival> mine = new CompletableFuture<>();
        CompletableFuture<Arrival> running;
        synchronized (steps) {
            running = steps.putIfAbsent(part.directory().value(), mine);
        }
        if (running != null) {
            return running;
        }
        CompletableFuture<Arrival> unused =
                step(part).whenComplete((arrival, failure) -> over(part, mine, arrival, failure));
        return mine;
    }

    private void over(
            Part part, CompletableFuture<Arrival> step, @Nullable Arrival arrival, @Nullable Throwable failure) {
        long directory = part.directory().value();
        CompletableFuture<Arrival> pause = null;
        synchronized (steps) {
            if (sums.containsKey(directory)) {
                // Before whoever waits for this step begins the next.
                pause = new CompletableFuture<>();
                steps.put(directory, pause);
            } else {
                steps.remove(directory);
            }
        }
        if (pause != null) {
            pauseForSums(part, pause);
        }
        complete(step, arrival, failure);
    }

    private CompletableFuture<Arrival> step(Part part) {
        return group.read(READ, RequestOrigin.SERVICE, part.request()).thenCompose(arrival -> {
            if (arrival.getEnded() || arrival.getSpread() != part.spread()) {
                return CompletableFuture.completedFuture(arrival);
            }
            return give(part, arrival, false).thenCompose(given -> {
                CrashPoint.hit("meta.widen.given");
                return arrival.getComplete()
                        ? group.submit(END, RequestOrigin.SERVICE, part.request())
                        : arrive(part, arrival, given);
            });
        });
    }

    private CompletableFuture<GiveEntriesReply> give(Part part, Arrival arrival, boolean dropOnly) {
        GiveEntriesRequest request = GiveEntriesRequest.newBuilder()
                .setDirectoryId(part.directory().value())
                .setSpread(part.spread())
                .setToGroup(group.id().value())
                .setArrivedUpTo(arrival.getUpTo())
                .setDroppedUpTo(arrival.getDroppedUpTo())
                .setComplete(arrival.getComplete())
                .setDropOnly(dropOnly)
                .build();
        return peers.call(giverOf(part), MetaMethods.GIVE_ENTRIES, request, GIVE_TIMEOUT_MILLIS);
    }

    private CompletableFuture<Arrival> arrive(Part part, Arrival arrival, GiveEntriesReply given) {
        ArriveEntriesRequest request = ArriveEntriesRequest.newBuilder()
                .setDirectoryId(part.directory().value())
                .setSpread(part.spread())
                .setAfter(arrival.getUpTo())
                .setGiven(given)
                .build();
        return group.submit(ARRIVE, RequestOrigin.SERVICE, request).thenApply(next -> {
            CrashPoint.hit("meta.widen.arrived");
            return next;
        });
    }
}
