package io.tatami.meta.service.move;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.Placement;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.move.GiveEntries;
import io.tatami.meta.op.tree.Announce;
import io.tatami.meta.op.tree.ReadShares;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.file.FileHandlers;
import io.tatami.meta.service.reclaim.ReclaimHandlers;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TakeEntriesRequest;
import io.tatami.protocol.wire.TreeChange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Clients create, close, rename, delete and list files of a few directories, which are widened from one shard to two
 * and to four meanwhile, while messages are lost, doubled and reordered, and shards crash and start again. The shards
 * are real but for their stores; the tree is the least that shards need of one. Each client has names of its own and a
 * ledger of them: every listing must show exactly those, once each. Another directory is deleted while it is widened.
 * In the end {@link MoveInvariants} must hold.
 */
final class WideningSimulation {
    private static final int SHARDS = 4;
    private static final int CLIENTS = 3;
    private static final int STEPS = 50;
    private static final int NAMES = 24;
    private static final int FIRST_DIRECTORY = 2;
    private static final int DIRECTORIES = 2;

    /** Is deleted with all that is in it while it is being widened. */
    private static final int DOOMED = FIRST_DIRECTORY + DIRECTORIES;

    /** So many entries are looked at for one step of the hand-over, and are on a page. */
    private static final int STEP_ENTRIES = 3;

    private static final long FOREVER_MILLIS = Long.MAX_VALUE / 4;
    private static final long TROUBLE_MILLIS = 6_000;
    private static final long END_MILLIS = 300_000;
    private static final long LOOK_MILLIS = 250;

    private final SimulatedWorld world;
    private final SimulatedNetwork network;
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key for the simulation"));
    private final List<SimulatedShard> shards = new ArrayList<>();
    private final Map<Integer, Directory> directories = new TreeMap<>();
    private final Set<Integer> deleted = new HashSet<>();
    private long treeVersion = 1;
    private int busyClients = CLIENTS;
    private boolean isDoomedReclaimed;

    /** What the tree knows of a directory. */
    private static final class Directory {
        private final int id;
        private int spread = 1;
        private int wideningFrom;
        private int changes;
        private boolean gone;

        Directory(int id) {
            this.id = id;
        }
    }

    WideningSimulation(long seed, UnaryOperator<MoveOperations> planted) {
        world = new SimulatedWorld(seed);
        network = new SimulatedNetwork(world);
        for (int id = FIRST_DIRECTORY; id <= DOOMED; id++) {
            directories.put(id, new Directory(id));
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            GroupRecord record =
                    GroupRecord.newBuilder().setGroup(shard).setShards(SHARDS).build();
            SimulatedShard simulated = new SimulatedShard(
                    record, world, network, signer, (table, parts) -> register(table, parts, planted));
            shards.add(simulated);
            network.add(simulated);
        }
    }

    private void register(
            GroupTable<ShardState> table, GroupParts<ShardState> parts, UnaryOperator<MoveOperations> planted) {
        try {
            MoveOperations small = inSmallSteps(MoveOperations.of(new HandleCheck(signer)));
            MoveHandlers.register(table, parts, planted.apply(small));
            new FileHandlers().register(table, parts);
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
        new ReclaimHandlers().register(table, parts);
        table.write(MetaMethods.ANNOUNCE, new Announce()).read(MetaMethods.READ_SHARES, ReadShares.allowed());
    }

    private static MoveOperations inSmallSteps(MoveOperations real) {
        return PlantedMoves.withHandOver(real, new GiveEntries(STEP_ENTRIES), real.arrive());
    }

    void run() {
        shards.forEach(SimulatedShard::start);
        shards.forEach(this::planCrash);
        for (int client = 1; client <= CLIENTS; client++) {
            new Client(client).begin();
        }
        directories.values().forEach(this::planWidening);
        world.after(1_000 + world.below(2_000), () -> delete(directory(DOOMED)));
        world.run(TROUBLE_MILLIS);
        world.heal();
        shards.forEach(SimulatedShard::start);
        MoveInvariants invariants = new MoveInvariants(shards, deleted);
        while (world.wallMillis() < END_MILLIS && !(isOver() && invariants.isQuiet())) {
            world.run(world.wallMillis() + LOOK_MILLIS);
        }
        Check.check(busyClients == 0, "%d clients never got their answers", busyClients);
        Check.check(isOver(), "a directory was never wide, or the deleted one never reclaimed");
        invariants.check();
        checkPlaces();
    }

    private boolean isOver() {
        return busyClients == 0
                && isDoomedReclaimed
                && directories.values().stream()
                        .allMatch(one -> one.gone || (one.spread == SHARDS && one.wideningFrom == 0));
    }

    /** Every entry is in the shard that owns it. */
    private void checkPlaces() {
        for (SimulatedShard shard : shards) {
            for (String place : shard.entries()) {
                int slash = place.indexOf('/');
                Directory directory = directory(Integer.parseInt(place.substring(0, slash)));
                String name = place.substring(slash + 1);
                Check.check(owner(directory, name).equals(shard.id()), "%s is in %s", place, shard.id());
            }
        }
    }

    private void planCrash(SimulatedShard shard) {
        world.after(50 + world.below(1_500), () -> {
            if (!world.isHealed()) {
                shard.crash();
                world.after(20 + world.below(150), shard::start);
                planCrash(shard);
            }
        });
    }

    // ------------------------------------------------------------------------------------------ the tree

    private Directory directory(int id) {
        Directory directory = directories.get(id);
        if (directory == null) {
            throw new IllegalArgumentException("there is no directory " + id);
        }
        return directory;
    }

    private void planWidening(Directory directory) {
        world.after(300 + world.below(1_500), () -> widen(directory));
    }

    /** Fence, commit, hand-over, end; and after a while again. */
    private void widen(Directory directory) {
        if (directory.gone) {
            return;
        }
        var unused = announce(directory, false).thenRun(() -> {
            directory.changes--;
            if (!directory.gone) {
                directory.wideningFrom = directory.spread;
                directory.spread *= 2;
                take(directory);
            }
        });
    }

    private void take(Directory directory) {
        TakeEntriesRequest request = TakeEntriesRequest.newBuilder()
                .setDirectoryId(directory.id)
                .setFromSpread(directory.wideningFrom)
                .setSpread(directory.spread)
                .build();
        int first = Placement.firstShardOf(new DirectoryId(directory.id), SHARDS);
        List<CompletableFuture<Boolean>> calls = IntStream.range(directory.wideningFrom, directory.spread)
                .mapToObj(step -> network.call(
                                GroupId.ofShard((first + step) % SHARDS),
                                MetaMethods.TAKE_ENTRIES,
                                RequestOrigin.SERVICE,
                                request,
                                FOREVER_MILLIS,
                                () -> true)
                        .thenApply(reply -> reply.getEnded()))
                .toList();
        var unused = CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
                .thenRun(() -> {
                    if (!calls.stream().allMatch(CompletableFuture::join)) {
                        world.after(1, () -> take(directory));
                        return;
                    }
                    directory.wideningFrom = 0;
                    if (directory.gone) {
                        reclaim(directory);
                    } else if (directory.spread < SHARDS) {
                        planWidening(directory);
                    }
                });
    }

    private void delete(Directory directory) {
        var unused = announce(directory, true).thenRun(() -> {
            directory.gone = true;
            deleted.add(directory.id);
            if (directory.wideningFrom == 0) {
                reclaim(directory);
            }
        });
    }

    private void reclaim(Directory directory) {
        ReclaimDirectoriesRequest request = ReclaimDirectoriesRequest.newBuilder()
                .addDirectoryId(directory.id)
                .build();
        var unused = toAll(MetaMethods.RECLAIM_DIRECTORIES, request).thenRun(() -> isDoomedReclaimed = true);
    }

    private CompletableFuture<Void> announce(Directory directory, boolean deletion) {
        directory.changes++;
        long version = ++treeVersion;
        return toAll(
                MetaMethods.ANNOUNCE,
                AnnounceRequest.newBuilder()
                        .addChange(TreeChange.newBuilder()
                                .setDirectoryId(directory.id)
                                .setDeletion(deletion)
                                .setSelfOnly(!deletion)
                                .setVersion(version))
                        .build());
    }

    private <Q extends Message> CompletableFuture<Void> toAll(Method<Q, ?> method, Q body) {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (SimulatedShard shard : shards) {
            calls.add(network.call(shard.id(), method, RequestOrigin.SERVICE, body, FOREVER_MILLIS, () -> true));
        }
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new));
    }

    /** As the tree would give it; null while nothing is resolved through the directory. */
    private @Nullable SignedHandle resolve(Directory directory) {
        if (directory.changes > 0 || directory.gone) {
            return null;
        }
        return signer.sign(Handle.newBuilder()
                .setDirectoryId(directory.id)
                .addAncestorId(DirectoryId.ROOT.value())
                .setVersion(treeVersion)
                .setSpread(directory.spread)
                .setWideningFrom(directory.wideningFrom)
                .setAttributes(Attributes.newBuilder().setOwner("u").setMode(0755))
                .setUser("u")
                .setSuperuser(true)
                .build());
    }

    private static GroupId owner(Directory directory, String name) {
        return Placement.shardOf(new DirectoryId(directory.id), name, directory.spread, SHARDS);
    }

    // ------------------------------------------------------------------------------------------ clients

    /** Does one thing after the other; each until it is answered, under a number of its own. */
    private final class Client {
        private static final Caller CALLER = new Caller("u", List.of(), true);

        private final SessionId session;
        private final String prefix;

        /** The names of this client, by directory: what they stand for. */
        private final Map<Integer, TreeMap<String, Long>> ledger = new TreeMap<>();

        private final List<Long> open = new ArrayList<>();
        private long number;
        private int steps;

        Client(int id) {
            this.session = new SessionId(id);
            this.prefix = "-" + id;
            for (int directory = FIRST_DIRECTORY; directory < DOOMED; directory++) {
                ledger.put(directory, new TreeMap<>());
            }
        }

        private TreeMap<String, Long> names(int directory) {
            return Objects.requireNonNull(ledger.get(directory));
        }

        void begin() {
            next(CompletableFuture.completedFuture(null));
        }

        private void next(CompletableFuture<?> before) {
            var unused = before.whenComplete((done, failure) -> {
                Check.check(failure == null, "client %s: %s", session, failure);
                world.after(world.below(20), this::step);
            });
        }

        private void step() {
            if (steps++ >= STEPS) {
                if (open.isEmpty()) {
                    busyClients--;
                } else {
                    next(close());
                }
                return;
            }
            int choice = world.below(100);
            Directory directory = directory(FIRST_DIRECTORY + world.below(DIRECTORIES));
            Map<String, Long> mine = names(directory.id);
            String name = name();
            if (choice < 8) {
                next(intoDoomed());
            } else if (choice < 20) {
                next(list(directory));
            } else if (choice < 30 && !open.isEmpty()) {
                next(close());
            } else if (!mine.containsKey(name)) {
                next(choice < 36 ? absent(directory, name) : create(directory, name));
            } else if (choice < 45) {
                next(delete(directory, name));
            } else if (choice < 55) {
                next(present(directory, name));
            } else {
                next(rename(directory, name, directory(FIRST_DIRECTORY + world.below(DIRECTORIES)), name()));
            }
        }

        private String name() {
            return (char) ('a' + world.below(NAMES)) + prefix;
        }

        private CompletableFuture<?> create(Directory directory, String name) {
            boolean stays = world.chance(0.3);
            return in(
                            directory,
                            handle -> call(
                                    owner(directory, name),
                                    MetaMethods.CREATE,
                                    CreateRequest.newBuilder()
                                            .setHandle(handle)
                                            .setName(name)
                                            .setReplication(2)
                                            .setBlockSize(1_024)
                                            .build()))
                    .thenCompose(reply -> {
                        long file = reply.getStatus().getId();
                        names(directory.id).put(name, file);
                        open.add(file);
                        return stays ? CompletableFuture.completedFuture(null) : close();
                    });
        }

        private CompletableFuture<?> delete(Directory directory, String name) {
            return in(
                            directory,
                            handle -> call(
                                    owner(directory, name),
                                    MetaMethods.DELETE_FILE,
                                    DeleteFileRequest.newBuilder()
                                            .setHandle(handle)
                                            .setName(name)
                                            .build()))
                    .thenAccept(reply -> names(directory.id).remove(name));
        }

        private CompletableFuture<?> rename(Directory from, String source, Directory to, String destination) {
            return in(
                            from,
                            sourceHandle -> in(
                                    to,
                                    handle -> call(
                                            owner(to, destination),
                                            MetaMethods.RENAME_FILE,
                                            RenameFileRequest.newBuilder()
                                                    .setSourceHandle(sourceHandle)
                                                    .setSourceName(source)
                                                    .setDestinationHandle(handle)
                                                    .setDestinationName(destination)
                                                    .setOverwrite(true)
                                                    .build()),
                                    false))
                    .handle((reply, failure) -> {
                        boolean isSame = from == to && source.equals(destination);
                        Check.check(
                                failure == null || (isSame && codeOf(failure) == ErrorCode.ALREADY_EXISTS),
                                "%s/%s could not be renamed to %s/%s: %s",
                                from.id,
                                source,
                                to.id,
                                destination,
                                failure);
                        if (failure == null) {
                            names(to.id)
                                    .put(
                                            destination,
                                            Objects.requireNonNull(
                                                    names(from.id).remove(source)));
                        }
                        return reply;
                    });
        }

        private CompletableFuture<?> present(Directory directory, String name) {
            return lookup(directory, name).thenAccept(status -> {
                Check.check(
                        Objects.equals(names(directory.id).get(name), status.getId()),
                        "%s/%s is another file",
                        directory,
                        name);
            });
        }

        private CompletableFuture<?> absent(Directory directory, String name) {
            return lookup(directory, name).handle((status, failure) -> {
                Check.check(
                        failure != null && codeOf(failure) == ErrorCode.NOT_FOUND,
                        "%s/%s is there, or not absent: %s",
                        directory.id,
                        name,
                        failure);
                return status;
            });
        }

        private CompletableFuture<Status> lookup(Directory directory, String name) {
            return in(
                            directory,
                            handle -> call(
                                    owner(directory, name),
                                    MetaMethods.LOOKUP,
                                    LookupRequest.newBuilder()
                                            .setHandle(handle)
                                            .setName(name)
                                            .build()))
                    .thenApply(reply -> reply.getStatus());
        }

        /** Never closed: what becomes of these when the directory goes is the reclamation's. */
        private CompletableFuture<?> intoDoomed() {
            Directory doomed = directory(DOOMED);
            SignedHandle handle = resolve(doomed);
            if (handle == null) {
                return CompletableFuture.completedFuture(null);
            }
            String name = name();
            return call(
                            owner(doomed, name),
                            MetaMethods.CREATE,
                            CreateRequest.newBuilder()
                                    .setHandle(handle)
                                    .setName(name)
                                    .setReplication(2)
                                    .setBlockSize(1_024)
                                    .build())
                    .handle((reply, failure) -> {
                        Check.check(
                                failure == null
                                        || codeOf(failure) == ErrorCode.STALE_HANDLE
                                        || codeOf(failure) == ErrorCode.LEASE_HELD,
                                "a file could not be created: %s",
                                failure);
                        return reply;
                    });
        }

        /** A file that was deleted or replaced meanwhile is closed with its lease gone. */
        private CompletableFuture<?> close() {
            long file = open.remove(world.below(open.size()));
            CompleteRequest request = CompleteRequest.newBuilder()
                    .setFileId(file)
                    .setInline(ByteString.copyFromUtf8("x".repeat(1 + world.below(20))))
                    .build();
            return call(new FileId(file).home(), MetaMethods.COMPLETE, request).handle((reply, failure) -> {
                boolean isGone = ledger.values().stream().noneMatch(names -> names.containsValue(file));
                Check.check(
                        failure == null || (isGone && codeOf(failure) == ErrorCode.LEASE_EXPIRED),
                        "%s could not be closed: %s",
                        file,
                        failure);
                return reply;
            });
        }

        // -------------------------------------------------------------------------------------- listings

        private CompletableFuture<?> list(Directory directory) {
            return list(directory, "", new ArrayList<>()).thenAccept(all -> {
                TreeMap<String, Long> seen = new TreeMap<>();
                String last = "";
                for (Status status : all) {
                    String name = status.getName();
                    Check.check(Arrivals.compare(last, name) < 0, "%s is listed after %s", name, last);
                    last = name;
                    if (name.endsWith(prefix)) {
                        seen.put(name, status.getId());
                    }
                }
                Check.check(
                        seen.equals(names(directory.id)),
                        "a listing of %s shows %s, there are %s",
                        directory.id,
                        seen,
                        names(directory.id));
            });
        }

        /** All pages from a name on, each as a client merges it. */
        private CompletableFuture<List<Status>> list(Directory directory, String after, List<Status> before) {
            return in(directory, handle -> page(directory, handle, after)).thenCompose(parts -> {
                List<Status> page = new ArrayList<>();
                @Nullable String upTo = null;
                for (ListReply part : parts) {
                    page.addAll(part.getStatusList());
                    if (part.getMore()) {
                        String last = part.getStatus(part.getStatusCount() - 1).getName();
                        upTo = upTo == null || Arrivals.compare(last, upTo) < 0 ? last : upTo;
                    }
                }
                String end = upTo;
                page.removeIf(status -> end != null && Arrivals.compare(status.getName(), end) > 0);
                page.sort((left, right) -> Arrivals.compare(left.getName(), right.getName()));
                before.addAll(page);
                return end == null ? CompletableFuture.completedFuture(before) : list(directory, end, before);
            });
        }

        private CompletableFuture<List<ListReply>> page(Directory directory, SignedHandle handle, String after) {
            ListRequest request = ListRequest.newBuilder()
                    .setHandle(handle)
                    .setAfter(after)
                    .setLimit(STEP_ENTRIES)
                    .build();
            int first = Placement.firstShardOf(new DirectoryId(directory.id), SHARDS);
            List<CompletableFuture<ListReply>> calls = IntStream.range(0, directory.spread)
                    .mapToObj(step -> call(GroupId.ofShard((first + step) % SHARDS), MetaMethods.LIST, request))
                    .toList();
            return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
                    .thenApply(
                            done -> calls.stream().map(CompletableFuture::join).toList());
        }

        // -------------------------------------------------------------------------------------- calls

        private <R> CompletableFuture<R> in(Directory directory, Function<SignedHandle, CompletableFuture<R>> use) {
            return in(directory, use, true);
        }

        /** @param again whether a stale handle is resolved anew here; else whoever asks does */
        private <R> CompletableFuture<R> in(
                Directory directory, Function<SignedHandle, CompletableFuture<R>> use, boolean again) {
            SignedHandle handle = resolve(directory);
            if (handle == null) {
                return later().thenCompose(waited -> in(directory, use, again));
            }
            return use.apply(handle).exceptionallyCompose(failure -> {
                boolean stale = codeOf(failure) == ErrorCode.STALE_HANDLE;
                return stale && again
                        ? later().thenCompose(waited -> in(directory, use, true))
                        : CompletableFuture.failedFuture(failure);
            });
        }

        private CompletableFuture<Void> later() {
            CompletableFuture<Void> waited = new CompletableFuture<>();
            world.after(1 + world.below(10), () -> waited.complete(null));
            return waited;
        }

        private <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body) {
            RequestOrigin origin = new RequestOrigin(CALLER, session, ++number, 0, RequestOrigin.NO_DEADLINE);
            return network.call(to, method, origin, body, FOREVER_MILLIS, () -> true);
        }
    }

    private static ErrorCode codeOf(Throwable failure) {
        return SimulatedNetwork.failureOf(failure).code();
    }
}
