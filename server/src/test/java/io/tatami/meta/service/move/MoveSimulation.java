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
import io.tatami.meta.op.tree.Announce;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.reclaim.ReclaimHandlers;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.TreeChange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Clients rename, create, close and delete files of a few names in a few directories of three shards, some directories
 * are deleted meanwhile, messages are lost, doubled and reordered, and shards crash and start again. Then everything
 * heals, and {@link MoveInvariants} must hold.
 *
 * <p>Beside the names that all fight for, each client moves a file of its own: wherever it just put that, and nowhere
 * else, it must find it.
 */
final class MoveSimulation {
    private static final int SHARDS = 3;
    private static final int CLIENTS = 4;
    private static final int STEPS = 14;
    private static final long FOREVER_MILLIS = Long.MAX_VALUE / 4;
    private static final long TROUBLE_MILLIS = 2_500;
    private static final long END_MILLIS = 120_000;
    private static final long LOOK_MILLIS = 250;

    /** Directories 2 to 5 stay; 6 and 7 are deleted on the way. */
    private static final int FIRST_DIRECTORY = 2;

    private static final int FIRST_DOOMED = 6;
    private static final int LAST_DIRECTORY = 7;
    private static final int DOOMED = LAST_DIRECTORY - FIRST_DOOMED + 1;
    private static final String[] NAMES = {"a", "b", "c"};

    private final SimulatedWorld world;
    private final SimulatedNetwork network;
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key for the simulation"));
    private final List<SimulatedShard> shards = new ArrayList<>();
    private final Set<Integer> deleted = new HashSet<>();
    private final Set<Integer> unresolvable = new HashSet<>();
    private long treeVersion = 1;
    private int busyClients = CLIENTS;

    MoveSimulation(long seed, UnaryOperator<MoveOperations> planted) {
        world = new SimulatedWorld(seed);
        network = new SimulatedNetwork(world);
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
        HandleCheck handles = new HandleCheck(signer);
        try {
            MoveHandlers.register(table, parts, watched(planted.apply(MoveOperations.of(handles))));
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
        new ReclaimHandlers().register(table, parts);
        new SimulatedFiles(handles).register(table);
        table.write(MetaMethods.ANNOUNCE, new Announce());
    }

    /** A move that commits after a deletion was carried out must have nothing to do with that directory. */
    private MoveOperations watched(MoveOperations operations) {
        return PlantedMoves.withCommit(operations, (state, context, request) -> {
            Empty reply = operations.commit().decide(state, context, request);
            for (SignedHandle handle : List.of(
                    request.getRename().getSourceHandle(), request.getRename().getDestinationHandle())) {
                int directory = (int) signer.open(handle).getDirectoryId();
                Check.check(!deleted.contains(directory), "a move out of or into %d, which is deleted", directory);
            }
            return reply;
        });
    }

    void run() {
        shards.forEach(SimulatedShard::start);
        shards.forEach(this::planCrash);
        for (int client = 1; client <= CLIENTS; client++) {
            new Client(client).begin();
        }
        for (int directory = FIRST_DOOMED; directory <= LAST_DIRECTORY; directory++) {
            int doomed = directory;
            world.after(200 + world.below(1_500), () -> delete(doomed));
        }
        world.run(TROUBLE_MILLIS);
        world.heal();
        shards.forEach(SimulatedShard::start);
        MoveInvariants invariants = new MoveInvariants(shards, deleted);
        while (world.wallMillis() < END_MILLIS
                && !(busyClients == 0 && deleted.size() == DOOMED && invariants.isQuiet())) {
            world.run(world.wallMillis() + LOOK_MILLIS);
        }
        Check.check(busyClients == 0, "%d clients never got their answers", busyClients);
        invariants.check();
    }

    private void planCrash(SimulatedShard shard) {
        world.after(50 + world.below(900), () -> {
            if (!world.isHealed()) {
                shard.crash();
                world.after(20 + world.below(200), shard::start);
                planCrash(shard);
            }
        });
    }

    // ------------------------------------------------------------------------------------------ the tree

    /** Fence in every shard, then the change, then the entries are reclaimed. */
    private void delete(int directory) {
        unresolvable.add(directory);
        long version = ++treeVersion;
        AnnounceRequest announce = AnnounceRequest.newBuilder()
                .addChange(TreeChange.newBuilder()
                        .setDirectoryId(directory)
                        .setDeletion(true)
                        .setVersion(version))
                .build();
        var unused = toAll(MetaMethods.ANNOUNCE, announce).thenRun(() -> {
            deleted.add(directory);
            var unusedReclaim = toAll(
                    MetaMethods.RECLAIM_DIRECTORIES,
                    ReclaimDirectoriesRequest.newBuilder()
                            .addDirectoryId(directory)
                            .build());
        });
    }

    private <Q extends Message> CompletableFuture<Void> toAll(Method<Q, ?> method, Q body) {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (SimulatedShard shard : shards) {
            calls.add(network.call(shard.id(), method, RequestOrigin.SERVICE, body, FOREVER_MILLIS, () -> true));
        }
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new));
    }

    /** As the tree would give it: nothing is resolved through a directory that is being changed. */
    private SignedHandle resolve(int directory) throws TatamiException {
        if (unresolvable.contains(directory)) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "directory " + directory + " is gone");
        }
        return signer.sign(Handle.newBuilder()
                .setDirectoryId(directory)
                .addAncestorId(DirectoryId.ROOT.value())
                .setVersion(treeVersion)
                .setSpread(spread(directory))
                .setUser("u")
                .setSuperuser(true)
                .build());
    }

    private static int spread(int directory) {
        return directory % 2 == 0 ? 1 : 2;
    }

    private static GroupId owner(int directory, String name) {
        return Placement.shardOf(new DirectoryId(directory), name, spread(directory), SHARDS);
    }

    // ------------------------------------------------------------------------------------------ clients

    /** Does one thing after the other; each until it is answered, under a number of its own. */
    private final class Client {
        private static final Caller CALLER = new Caller("u", List.of(), true);

        private final SessionId session;
        private final String ownName;
        private final List<Long> open = new ArrayList<>();
        private int ownDirectory;
        private long ownFile;
        private long number;
        private int steps;

        Client(int id) {
            this.session = new SessionId(id);
            this.ownName = "own" + id;
        }

        void begin() {
            ownDirectory = FIRST_DIRECTORY + world.below(FIRST_DOOMED - FIRST_DIRECTORY);
            var unused = create(ownDirectory, ownName, true).whenComplete((reply, failure) -> {
                Check.check(failure == null, "a client could not create its own file: %s", failure);
                next();
            });
        }

        private void next() {
            if (steps++ < STEPS) {
                var unused = step().whenComplete((done, failure) -> {
                    if (failure != null) {
                        SimulatedNetwork.failureOf(failure);
                    }
                    world.after(world.below(30), this::next);
                });
            } else if (open.isEmpty()) {
                busyClients--;
            } else {
                var unused = close().whenComplete((done, failure) -> next());
            }
        }

        private CompletableFuture<?> step() {
            int choice = world.below(100);
            if (choice < 45) {
                return rename(anyDirectory(), anyName(), anyDirectory(), anyName(), world.chance(0.7));
            }
            if (choice < 65) {
                return create(anyDirectory(), anyName(), world.chance(0.5));
            }
            if (choice < 75) {
                return delete(anyDirectory(), anyName());
            }
            return choice < 82 && !open.isEmpty() ? close() : moveOwn();
        }

        private CompletableFuture<?> moveOwn() {
            int from = ownDirectory;
            int to = FIRST_DIRECTORY + world.below(FIRST_DOOMED - FIRST_DIRECTORY);
            return rename(from, ownName, to, ownName, false)
                    .thenRun(() -> ownDirectory = to)
                    .exceptionally(failure -> {
                        ErrorCode code = SimulatedNetwork.failureOf(failure).code();
                        boolean stale = code == ErrorCode.STALE_HANDLE;
                        Check.check(
                                stale || (from == to && code == ErrorCode.ALREADY_EXISTS),
                                "%s of a file that nobody else touches: %s",
                                code,
                                failure);
                        return null;
                    })
                    .thenCompose(moved -> checkOwn(from));
        }

        private CompletableFuture<?> checkOwn(int from) {
            int now = ownDirectory;
            CompletableFuture<Boolean> there = isThere(now);
            return from == now
                    ? there.thenAccept(found -> Check.check(found, "%s is lost", ownName))
                    : there.thenCombine(isThere(from), (found, still) -> {
                        Check.check(found, "%s is not where it was moved to", ownName);
                        Check.check(!still, "%s is still where it was", ownName);
                        return found;
                    });
        }

        private CompletableFuture<Boolean> isThere(int directory) {
            return resolved(
                            directory,
                            handle -> call(
                                    owner(directory, ownName),
                                    MetaMethods.LOOKUP,
                                    LookupRequest.newBuilder()
                                            .setHandle(handle)
                                            .setName(ownName)
                                            .build()))
                    .handle((reply, failure) -> {
                        if (failure == null) {
                            return reply.getStatus().getId() == ownFile;
                        }
                        ErrorCode code = SimulatedNetwork.failureOf(failure).code();
                        Check.check(code == ErrorCode.NOT_FOUND, "a lookup was refused with %s", code);
                        return false;
                    });
        }

        private CompletableFuture<?> rename(int from, String source, int to, String destination, boolean overwrite) {
            return resolved(
                    from,
                    sourceHandle -> resolved(
                            to,
                            handle -> call(
                                    owner(to, destination),
                                    MetaMethods.RENAME_FILE,
                                    RenameFileRequest.newBuilder()
                                            .setSourceHandle(sourceHandle)
                                            .setSourceName(source)
                                            .setDestinationHandle(handle)
                                            .setDestinationName(destination)
                                            .setOverwrite(overwrite)
                                            .build())));
        }

        private CompletableFuture<?> create(int directory, String name, boolean opened) {
            return resolved(
                            directory,
                            handle -> call(
                                    owner(directory, name),
                                    MetaMethods.CREATE,
                                    CreateRequest.newBuilder()
                                            .setHandle(handle)
                                            .setName(name)
                                            .setGrants(opened ? 1 : 0)
                                            .build()))
                    .thenAccept(reply -> {
                        long file = reply.getStatus().getId();
                        if (opened) {
                            open.add(file);
                        }
                        if (name.equals(ownName)) {
                            ownFile = file;
                        }
                    });
        }

        private CompletableFuture<?> delete(int directory, String name) {
            return resolved(
                    directory,
                    handle -> call(
                            owner(directory, name),
                            MetaMethods.DELETE_FILE,
                            DeleteFileRequest.newBuilder()
                                    .setHandle(handle)
                                    .setName(name)
                                    .build()));
        }

        private CompletableFuture<?> close() {
            long file = open.remove(world.below(open.size()));
            GroupId home = new FileId(file).home();
            return call(
                    home,
                    MetaMethods.COMPLETE,
                    CompleteRequest.newBuilder().setFileId(file).build());
        }

        private <R> CompletableFuture<R> resolved(int directory, Function<SignedHandle, CompletableFuture<R>> use) {
            try {
                return use.apply(resolve(directory));
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body) {
            RequestOrigin origin = new RequestOrigin(CALLER, session, ++number, 0, RequestOrigin.NO_DEADLINE);
            return network.call(to, method, origin, body, FOREVER_MILLIS, () -> true);
        }

        private int anyDirectory() {
            return FIRST_DIRECTORY + world.below(LAST_DIRECTORY - FIRST_DIRECTORY + 1);
        }

        private String anyName() {
            return NAMES[world.below(NAMES.length)];
        }
    }
}
