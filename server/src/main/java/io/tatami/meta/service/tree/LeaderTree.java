package io.tatami.meta.service.tree;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.BeginTerm;
import io.tatami.meta.op.tree.PlanOutdatedException;
import io.tatami.meta.op.tree.ShardsOfHandles;
import io.tatami.meta.op.tree.wire.BeginTermRequest;
import io.tatami.meta.op.tree.wire.Place;
import io.tatami.meta.op.tree.wire.ShardsOfHandlesReply;
import io.tatami.meta.op.tree.wire.ShardsOfHandlesRequest;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.ReserveMarkerReply;
import io.tatami.protocol.wire.ReserveMarkerRequest;
import io.tatami.protocol.wire.SettleMarkerRequest;
import io.tatami.protocol.wire.TreeChange;
import io.tatami.rpc.RequestScope;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the namespace leader has in memory about the tree while it leads: its term, changes in flight, names being
 * changed. All of it may be lost at any instruction: what a lost flow has announced or reserved has no effect. Safe for
 * use by many threads.
 */
public final class LeaderTree {
    /** How often a flow begins anew because the tree changed between its plan and its commit. */
    private static final int ATTEMPTS_MAX = 16;

    private static final long MARKER_TIMEOUT_MILLIS = 5_000;
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTree.class);
    private static final BeginTerm BEGIN_TERM = new BeginTerm();

    private final PartContext<TreeState> parts;
    private final TreeSettings settings;
    private final NameLocks names = new NameLocks();
    private final JudgedSubtrees judged = new JudgedSubtrees();
    private final DirectoryIds ids;
    private final List<ShardAnnouncer> announcers;
    private final ShardsOfHandles shardsOfHandles;
    private CompletableFuture<TreeChanges> term =
            Failures.failed(ErrorCode.UNAVAILABLE, "the new leader of the namespace group is not ready yet; ask again");

    public LeaderTree(PartContext<TreeState> parts, TreeSettings settings) {
        this.parts = parts;
        this.settings = settings;
        this.ids = new DirectoryIds(parts.group(), shards());
        this.announcers = IntStream.range(0, shards())
                .mapToObj(shard ->
                        new ShardAnnouncer(GroupId.ofShard(shard), parts.peers(), settings.announceTimeoutMillis()))
                .toList();
        this.shardsOfHandles = new ShardsOfHandles(shards());
    }

    public Group<TreeState> group() {
        return parts.group();
    }

    public GroupPeers peers() {
        return parts.peers();
    }

    public PartContext<TreeState> parts() {
        return parts;
    }

    public TreeSettings settings() {
        return settings;
    }

    public int shards() {
        return parts.record().getShards();
    }

    public NameLocks names() {
        return names;
    }

    public JudgedSubtrees judged() {
        return judged;
    }

    public DirectoryIds ids() {
        return ids;
    }

    /** The changes of this leader's term, which begins with the first commit: nothing is answered before. */
    public synchronized CompletableFuture<TreeChanges> term() {
        if (term.isCompletedExceptionally()) {
            BeginTermRequest request = BeginTermRequest.newBuilder()
                    .setOwner(settings.rootOwner())
                    .setGroup(settings.rootGroup())
                    .build();
            // All that come meanwhile wait for it, not the first one alone.
            RequestScope before = RequestScope.enter(null);
            try {
                term = group().submit(BEGIN_TERM, RequestOrigin.SERVICE, request)
                        .thenApply(reply -> new TreeChanges(reply.getTerm()));
            } finally {
                RequestScope.leave(before);
            }
        }
        return RequestScope.carried(term);
    }

    /** A request that is answered from the tree alone. */
    public <Q extends Message, R extends Message> Flow<Q, R> reading(Operation<TreeState, Q, R> operation) {
        return (origin, request) -> term().thenCompose(changes -> group().read(operation, origin, request));
    }

    /** The shard that owns a name. */
    private GroupId ownerOf(Place place) {
        return Placement.shardOf(
                new DirectoryId(place.getParentId()), place.getName(), place.getParentSpread(), shards());
    }

    /** The shards that hold entries of a directory. */
    public List<GroupId> shardsOf(long directory, int spread) {
        int first = Placement.firstShardOf(new DirectoryId(directory), shards());
        return IntStream.range(0, spread)
                .mapToObj(step -> GroupId.ofShard((first + step) % shards()))
                .toList();
    }

    /** Begins anew where the tree changed under the flow; in the end that is the failure, which is BUSY. */
    public <R> CompletableFuture<R> repeating(Supplier<CompletableFuture<R>> attempt) {
        return repeating(attempt, ATTEMPTS_MAX);
    }

    private <R> CompletableFuture<R> repeating(Supplier<CompletableFuture<R>> attempt, int left) {
        return attempt.get().exceptionallyCompose(thrown -> {
            boolean again = left > 1 && Causes.of(thrown) instanceof PlanOutdatedException;
            return again ? repeating(attempt, left - 1) : CompletableFuture.failedFuture(thrown);
        });
    }

    /**
     * Holds names and then changes something at {@code place}, one of them or none: at once where all is as planned,
     * and else it waits until that may have changed, and fails with {@link PlanOutdatedException}.
     */
    public <R> CompletableFuture<R> holding(
            List<Place> held, Place place, String path, Supplier<CompletableFuture<R>> body) {
        return holding(held, place, path, body, result -> CompletableFuture.completedFuture(null));
    }

    /** {@link #holding(List, Place, String, Supplier)} with {@linkplain NameLocks#holding a rest}. */
    public <R> CompletableFuture<R> holding(
            List<Place> held,
            Place place,
            String path,
            Supplier<CompletableFuture<R>> body,
            Function<R, CompletableFuture<Void>> rest) {
        CompletableFuture<Void> judgement = judged.over(place);
        if (!judgement.isDone()) {
            return judgement.thenCompose(over -> CompletableFuture.failedFuture(new PlanOutdatedException(path)));
        }
        return names.holding(
                held,
                waited -> waited
                        ? CompletableFuture.failedFuture(new PlanOutdatedException(path))
                        : judged.changing(place, path, body),
                rest);
    }

    /**
     * Announces a change to every shard at which a handle that it concerns may be used, and then goes on to commit it.
     * Paths through the directories are resolved again once the result is there, whatever it is, unless it is that the
     * group has stopped: then the change may be in the log, and no path through the directories is resolved any more.
     * Where a shard does not acknowledge in time nothing is changed, and the failure is BUSY.
     */
    public <R> CompletableFuture<R> changing(
            List<TreeChange> directories, Function<Announced, CompletableFuture<R>> body) {
        return changing(directories, 0, body);
    }

    /** {@link #changing(List, Function)} of a directory that is to have another spread. */
    public <R> CompletableFuture<R> spreading(
            TreeChange directory, int spread, Function<Announced, CompletableFuture<R>> body) {
        return changing(List.of(directory), spread, body);
    }

    private <R> CompletableFuture<R> changing(
            List<TreeChange> directories, int spread, Function<Announced, CompletableFuture<R>> body) {
        ShardsOfHandlesRequest.Builder question = ShardsOfHandlesRequest.newBuilder();
        for (TreeChange directory : directories) {
            question.addFrom(ShardsOfHandlesRequest.From.newBuilder()
                    .setDirectoryId(directory.getDirectoryId())
                    .setSelfOnly(directory.getSelfOnly())
                    .setSpread(spread));
        }
        return term().thenCompose(changes -> {
            TreeChanges.Change change = changes.begin(
                    directories.stream().map(TreeChange::getDirectoryId).toList());
            // Not before: a handle of a directory that was made just now must not be missed.
            return group().read(shardsOfHandles, RequestOrigin.SERVICE, question.build())
                    .thenCompose(concerned -> announce(concerned, directories, change.version()))
                    .thenCompose(body)
                    .whenComplete((result, failure) -> end(changes, change, failure));
        });
    }

    private void end(TreeChanges changes, TreeChanges.Change change, @Nullable Throwable failure) {
        if (failure != null
                && Causes.unwrapped(failure) instanceof GroupStoppedException stopped
                && stopped.isOf(group().id())) {
            changes.abandon(change, stopped);
        } else {
            changes.finish(change);
        }
    }

    /** Tells the shards; BUSY where one does not acknowledge in time. */
    private CompletableFuture<Announced> announce(
            ShardsOfHandlesReply concerned, List<TreeChange> directories, TreeVersion version) {
        List<TreeChange> changes = directories.stream()
                .map(change -> change.toBuilder().setVersion(version.value()).build())
                .toList();
        BitSet shards = new BitSet(announcers.size());
        if (concerned.getAll()) {
            shards.set(0, announcers.size());
        }
        concerned.getShardList().forEach(shards::set);
        return tell(shards, changes)
                .thenCompose(told -> {
                    List<DirectorySlice> slices =
                            told.stream().flatMap(one -> one.slices().stream()).toList();
                    return tell(destinations(told, shards), changes)
                            .thenApply(others -> new Announced(version, slices));
                })
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(new TatamiException(
                        ErrorCode.BUSY,
                        "a shard did not acknowledge the change of the directory tree within the time limit; the change was withdrawn, try again",
                        thrown)));
    }

    /**
     * The shards to which files of those that were told are on their way, but for these: a move that was prepared
     * before is committed there with an older handle, unless they know of the change.
     */
    private BitSet destinations(List<ShardAnnouncer.Told> told, BitSet shards) {
        BitSet destinations = new BitSet(announcers.size());
        for (ShardAnnouncer.Told one : told) {
            one.movingTo().forEach(destinations::set);
        }
        destinations.andNot(shards);
        return destinations;
    }

    private CompletableFuture<List<ShardAnnouncer.Told>> tell(BitSet shards, List<TreeChange> changes) {
        List<ShardAnnouncer.Told> told = new ArrayList<>();
        CompletableFuture<List<ShardAnnouncer.Told>> all = CompletableFuture.completedFuture(told);
        List<CompletableFuture<ShardAnnouncer.Told>> replies = shards.stream()
                .mapToObj(shard -> announcers.get(shard).announce(changes))
                .toList();
        for (CompletableFuture<ShardAnnouncer.Told> reply : replies) {
            all = all.thenCombine(reply, (before, one) -> {
                before.add(one);
                return before;
            });
        }
        return all;
    }

    /** Keeps a name free of files from now on. */
    public CompletableFuture<ReserveMarkerReply> reserve(Place place, long directory) {
        return term().thenCompose(changes -> peers().call(
                        ownerOf(place),
                        MetaMethods.RESERVE_MARKER,
                        ReserveMarkerRequest.newBuilder()
                                .setParentId(place.getParentId())
                                .setName(place.getName())
                                .setDirectoryId(directory)
                                .setVersion(changes.nextVersion().value())
                                .setParentSpread(place.getParentSpread())
                                .setParentWideningFrom(place.getParentWideningFrom())
                                .build(),
                        MARKER_TIMEOUT_MILLIS));
    }

    /** Who has a name that no directory has. */
    public CompletableFuture<ReserveMarkerReply> askWhoHas(Place place) {
        return peers().call(
                        ownerOf(place),
                        MetaMethods.RESERVE_MARKER,
                        ReserveMarkerRequest.newBuilder()
                                .setParentId(place.getParentId())
                                .setName(place.getName())
                                .setAskOnly(true)
                                .setParentSpread(place.getParentSpread())
                                .setParentWideningFrom(place.getParentWideningFrom())
                                .build(),
                        MARKER_TIMEOUT_MILLIS);
    }

    /**
     * Frees a name that a directory had, while the name is held. Where that does not succeed the marker stays, and
     * whoever meets it asks.
     */
    public CompletableFuture<Void> release(Place place) {
        return term().thenCompose(changes -> peers().call(
                                ownerOf(place),
                                MetaMethods.SETTLE_MARKER,
                                SettleMarkerRequest.newBuilder()
                                        .setParentId(place.getParentId())
                                        .setName(place.getName())
                                        .setClear(true)
                                        .setVersion(changes.nextVersion().value())
                                        .build(),
                                MARKER_TIMEOUT_MILLIS))
                .handle((reply, thrown) -> {
                    logLeftBehind(place, thrown);
                    return null;
                });
    }

    /** Puts the new directory's id into the marker of a replaced one, which is only a hint to readers. */
    public CompletableFuture<Void> relabel(Place place, long directory) {
        return reserve(place, directory).handle((reply, thrown) -> {
            logLeftBehind(place, thrown);
            return null;
        });
    }

    private static void logLeftBehind(Place place, @Nullable Throwable thrown) {
        if (thrown != null) {
            LOG.info(
                    "the marker of {} in directory {} was left as it was",
                    place.getName(),
                    place.getParentId(),
                    thrown);
        }
    }
}
