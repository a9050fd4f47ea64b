package io.tatami.meta.service.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.sim.NamespaceModel.File;
import io.tatami.meta.service.sim.NamespaceModel.Name;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.RecoverLeaseRequest;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.RenewLeasesRequest;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TruncateRequest;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** One client: what it does to files and directories, each step a future that fails with a refusal. */
final class SimClient {
    private static final long BLOCK_SIZE = 1 << 20;
    private static final int BLOCK_BYTES = 1_000;
    private static final long RENEW_MILLIS = 10_000;

    private final SimWorld world;
    private final SimulatedCluster cluster;
    private final SimSession session;
    private final NamespaceModel model;
    private final List<Writing> writing = new ArrayList<>();

    SimClient(SimWorld world, SimulatedCluster cluster, SimSession session) {
        this.world = world;
        this.cluster = cluster;
        this.session = session;
        this.model = cluster.oracle().model();
    }

    /** A file that this client has open. */
    static final class Writing {
        private final long file;
        private final long opening;
        private final List<BlockReport> blocks = new ArrayList<>();
        private final long lengthBefore;

        /** What the file is closed with where it has no block; null where it had blocks before. */
        private final boolean mayBeInline;

        Writing(long file, long opening, long lengthBefore, boolean mayBeInline) {
            this.file = file;
            this.opening = opening;
            this.lengthBefore = lengthBefore;
            this.mayBeInline = mayBeInline;
        }

        private GroupId home() {
            return new FileId(file).home();
        }
    }

    SimSession session() {
        return session;
    }

    List<Writing> writing() {
        return writing;
    }

    /** Keeps the leases, for good. */
    void renewLeases() {
        Set<GroupId> homes = new HashSet<>();
        writing.forEach(open -> homes.add(open.home()));
        homes.forEach(home -> {
            var unused = session.ask(home, MetaMethods.RENEW_LEASES, RenewLeasesRequest.getDefaultInstance())
                    .exceptionally(thrown -> null);
        });
        world.after(RENEW_MILLIS, this::renewLeases);
    }

    // ------------------------------------------------------------------------------------------ directories

    CompletableFuture<?> mkdirs(String path, int spread) {
        MkdirsRequest request = MkdirsRequest.newBuilder()
                .setPath(path)
                .setModes(modes(0755))
                .setCreateParents(true)
                .setSpread(spread)
                .build();
        return session.once(GroupId.NAMESPACE, MetaMethods.MKDIRS, request);
    }

    /** What a shard asks for that finds a directory large. */
    CompletableFuture<?> widen(String path) {
        return session.in(
                path,
                (handle, directory) -> session.ask(
                        GroupId.NAMESPACE,
                        MetaMethods.WIDEN_DIRECTORY,
                        WidenDirectoryRequest.newBuilder()
                                .setDirectoryId(directory.getDirectoryId())
                                .setFromSpread(directory.getSpread())
                                .build()));
    }

    CompletableFuture<?> setMode(String path, int mode) {
        SetDirectoryAttributesRequest request = SetDirectoryAttributesRequest.newBuilder()
                .setPath(path)
                .setChange(AttributeChange.newBuilder().setMode(mode))
                .build();
        return session.once(GroupId.NAMESPACE, MetaMethods.SET_DIRECTORY_ATTRIBUTES, request);
    }

    CompletableFuture<?> deleteDirectory(String path, boolean recursive) {
        DeleteDirectoryRequest request = DeleteDirectoryRequest.newBuilder()
                .setPath(path)
                .setRecursive(recursive)
                .build();
        return session.once(GroupId.NAMESPACE, MetaMethods.DELETE_DIRECTORY, request);
    }

    CompletableFuture<?> renameDirectory(String source, String destination, boolean overwrite) {
        RenameDirectoryRequest request = RenameDirectoryRequest.newBuilder()
                .setSource(source)
                .setDestination(destination)
                .setOverwrite(overwrite)
                .build();
        return session.once(GroupId.NAMESPACE, MetaMethods.RENAME_DIRECTORY, request);
    }

    // ------------------------------------------------------------------------------------------ names of files

    CompletableFuture<Empty> renameFile(String source, String destination, boolean overwrite) {
        return session.in(parent(source), parent(destination), (from, to) -> {
            RenameFileRequest request = RenameFileRequest.newBuilder()
                    .setSourceHandle(from)
                    .setSourceName(name(source))
                    .setDestinationHandle(to)
                    .setDestinationName(name(destination))
                    .setOverwrite(overwrite)
                    .build();
            return session.once(session.owner(session.opened(to), name(destination)), MetaMethods.RENAME_FILE, request);
        });
    }

    CompletableFuture<Empty> deleteFile(String path) {
        return once(
                path,
                MetaMethods.DELETE_FILE,
                handle -> DeleteFileRequest.newBuilder()
                        .setHandle(handle)
                        .setName(name(path))
                        .build());
    }

    /** What is found must have stood there at some moment since it was asked for. */
    CompletableFuture<?> lookup(String path) {
        return session.in(parent(path), (handle, directory) -> {
            Name name = new Name(directory.getDirectoryId(), name(path));
            long since = model.moment();
            return session.ask(
                            session.owner(directory, name(path)),
                            MetaMethods.LOOKUP,
                            LookupRequest.newBuilder()
                                    .setHandle(handle)
                                    .setName(name(path))
                                    .build())
                    .whenComplete((reply, thrown) -> {
                        if (thrown == null) {
                            checkFound(name, reply.getStatus(), since);
                        } else if (SimNetwork.failureOf(thrown).code() == ErrorCode.NOT_FOUND) {
                            requireMeant(name, 0, since);
                        }
                    });
        });
    }

    /** Those of the names that are in the shard of the first. */
    CompletableFuture<?> deleteFiles(String parent, List<String> names) {
        return session.in(parent, (handle, directory) -> {
            GroupId shard = session.owner(directory, names.get(0));
            BulkDeleteRequest.Builder request = BulkDeleteRequest.newBuilder();
            for (String name : names) {
                if (session.owner(directory, name).equals(shard)) {
                    request.addItem(BulkDeleteRequest.Item.newBuilder()
                            .setHandle(handle)
                            .setName(name));
                }
            }
            return session.once(shard, MetaMethods.BULK_DELETE, request.build());
        });
    }

    /** Each file that is listed must have stood there, and what stood there all the while must be listed. */
    CompletableFuture<?> list(String path) {
        return session.in(path, (handle, directory) -> {
            long since = model.moment();
            return new SimListing(world, session, cluster.shards(), handle, directory)
                    .all()
                    .whenComplete((found, thrown) -> {
                        if (thrown == null) {
                            checkListed(directory.getDirectoryId(), found, since);
                        }
                    });
        });
    }

    private void checkListed(long directory, Map<String, Status> found, long since) {
        found.values().forEach(status -> checkFound(new Name(directory, status.getName()), status, since));
        for (String name : model.unchanged(directory, since)) {
            if (!found.containsKey(name)) {
                world.bug(new IllegalStateException(name + " of directory " + directory + " is not listed"));
            }
        }
    }

    /** A marker may name a directory that is gone. */
    private void checkFound(Name name, Status status, long since) {
        if (status.getKind() == Status.Kind.FILE) {
            requireMeant(name, status.getId(), since);
        }
    }

    private void requireMeant(Name name, long id, long since) {
        if (!model.wasMeant(name, id, since)) {
            world.bug(new IllegalStateException(name + " was found to be " + Long.toHexString(id) + ", and never was"));
        }
    }

    // ------------------------------------------------------------------------------------------ writing

    CompletableFuture<?> create(String path, boolean overwrite, int grants) {
        return once(
                        path,
                        MetaMethods.CREATE,
                        handle -> CreateRequest.newBuilder()
                                .setHandle(handle)
                                .setName(name(path))
                                .setModes(modes(0644))
                                .setOverwrite(overwrite)
                                .setReplication(1 + world.below(2))
                                .setBlockSize(BLOCK_SIZE)
                                .setGrants(grants)
                                .build())
                .thenAccept(reply -> {
                    Writing opened = new Writing(reply.getStatus().getId(), 0, 0, true);
                    writing.add(opened);
                    write(opened, reply.getGrantList());
                });
    }

    CompletableFuture<?> append(String path) {
        return once(
                        path,
                        MetaMethods.APPEND,
                        handle -> AppendRequest.newBuilder()
                                .setHandle(handle)
                                .setName(name(path))
                                .setNewBlock(true)
                                .build())
                .thenAccept(reply -> writing.add(new Writing(
                        reply.getStatus().getId(),
                        reply.getRecoveryId(),
                        reply.getStatus().getLength(),
                        reply.hasInline() || reply.getStatus().getLength() == 0)));
    }

    CompletableFuture<?> addBlock(Writing open) {
        AddBlocksRequest request = AddBlocksRequest.newBuilder()
                .setFileId(open.file)
                .setRecoveryId(open.opening)
                .addAllWritten(open.blocks)
                .setGrants(1)
                .build();
        return stillWritten(
                open,
                session.once(open.home(), MetaMethods.ADD_BLOCKS, request)
                        .thenAccept(reply -> write(open, reply.getGrantList())));
    }

    CompletableFuture<?> close(Writing open) {
        CompleteRequest.Builder request = CompleteRequest.newBuilder()
                .setFileId(open.file)
                .setRecoveryId(open.opening)
                .addAllWritten(open.blocks);
        boolean mayBeEmpty = open.lengthBefore == 0 && world.chance(0.5);
        if (open.blocks.isEmpty() && open.mayBeInline && !mayBeEmpty) {
            request.setInline(ByteString.copyFrom(new byte[(int) open.lengthBefore + 1]));
        }
        writing.remove(open);
        return stillWritten(open, session.once(open.home(), MetaMethods.COMPLETE, request.build()));
    }

    /** Takes a file from whoever writes it. */
    CompletableFuture<?> recoverLease(String path) {
        return session.in(
                parent(path),
                (handle, directory) -> session.ask(
                        session.owner(directory, name(path)),
                        MetaMethods.RECOVER_LEASE,
                        RecoverLeaseRequest.newBuilder()
                                .setHandle(handle)
                                .setName(name(path))
                                .build()));
    }

    CompletableFuture<?> truncate(String path, long length) {
        return once(
                path,
                MetaMethods.TRUNCATE,
                handle -> TruncateRequest.newBuilder()
                        .setHandle(handle)
                        .setName(name(path))
                        .setLength(length)
                        .build());
    }

    CompletableFuture<?> concat(String path, List<String> sources) {
        return once(
                path,
                MetaMethods.CONCAT,
                handle -> ConcatRequest.newBuilder()
                        .setHandle(handle)
                        .setName(name(path))
                        .addAllSource(sources)
                        .build());
    }

    private void write(Writing open, List<Grant> grants) {
        for (Grant grant : grants) {
            cluster.blockServers().write(grant.getBlockId(), BLOCK_BYTES);
            open.blocks.add(BlockReport.newBuilder()
                    .setBlockId(grant.getBlockId())
                    .setGeneration(grant.getGeneration())
                    .setLength(BLOCK_BYTES)
                    .build());
        }
    }

    /** Who writes a file must not be refused as long as it is there and nobody has taken it. */
    private <R> CompletableFuture<R> stillWritten(Writing open, CompletableFuture<R> step) {
        return step.whenComplete((reply, thrown) -> {
            if (thrown == null) {
                return;
            }
            TatamiException refusal = SimNetwork.failureOf(thrown);
            writing.remove(open);
            if (refusal.code() != ErrorCode.DEADLINE_EXCEEDED && isWriter(open)) {
                world.bug(new IllegalStateException(
                        "the writer of file " + Long.toHexString(open.file) + " is refused: " + refusal, refusal));
            }
        });
    }

    /** Whether this client may write the file, and it is there. */
    boolean isWriter(Writing open) {
        File file = model.find(open.file);
        return file != null && file.writer() == session.id() && file.opening() == open.opening;
    }

    /**
     * After all has healed: the next block is granted and the file is closed, or both are refused as it is gone, or has
     * been taken: a request to take it may be late, too.
     */
    CompletableFuture<?> finish(Writing open) {
        File file = model.find(open.file);
        boolean mightWrite = file != null && file.mayBeWrittenBy(session.id()) && file.opening() == open.opening;
        return addBlock(open)
                .handle((granted, thrown) -> {
                    Check.check(
                            thrown == null ? mightWrite : !isWriter(open),
                            "%x can be written: %s, %s",
                            open.file,
                            mightWrite,
                            thrown);
                    return thrown == null;
                })
                .thenCompose(granted -> granted ? close(open) : CompletableFuture.completedFuture(null));
    }

    // ------------------------------------------------------------------------------------------ parts

    /** Asks the shard that owns a name for what is done once. */
    private <Q extends Message, R extends Message> CompletableFuture<R> once(
            String path, Method<Q, R> method, Function<SignedHandle, Q> request) {
        return session.in(
                parent(path),
                (handle, directory) ->
                        session.once(session.owner(directory, name(path)), method, request.apply(handle)));
    }

    private static CreateModes modes(int mode) {
        return CreateModes.newBuilder().setMasked(mode).setUnmasked(mode).build();
    }

    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash == 0 ? "/" : path.substring(0, slash);
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
