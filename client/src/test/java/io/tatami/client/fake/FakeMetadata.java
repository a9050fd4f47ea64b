package io.tatami.client.fake;

import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.Placement;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GetBlocksReply;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GetDirectoriesReply;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.MkdirsReply;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.RenewBlockReply;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.RenewLeasesReply;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.Share;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All groups of a cluster in one map, with no permissions. Handles have versions that {@link #change} makes stale;
 * replies of numbered requests are remembered. Guarded by its lock.
 */
public final class FakeMetadata {
    private static final int SHARDS = 4;

    public final Faults faults = new Faults();
    private final Supplier<ClusterMap> map;
    private final Map<String, Long> directories = new TreeMap<>(Map.of("/", DirectoryId.ROOT.value()));
    /** Names that are kept for directories which have others as yet. */
    private final Map<String, Long> reserved = new TreeMap<>();

    private final Map<Long, Long> linkOf = new HashMap<>();
    private final Map<Long, Long> changedAt = new HashMap<>();
    private final Map<Long, TreeMap<String, FakeFile>> files = new HashMap<>();
    private final Map<Long, TreeMap<String, String>> links = new HashMap<>();
    private final Map<Long, FakeFile> byId = new HashMap<>();
    private final Map<String, Message> replies = new HashMap<>();
    private final Map<DeleteDirectoryRequest, Integer> deletionParts = new HashMap<>();
    private final Set<Long> lostLeases = new HashSet<>();
    private long lastLink;
    private long version = 1;
    private long nextId = 10;
    private long sessions;
    private long spread = 1;
    private int partsOfDeletion = 1;

    /** Answers one method. */
    @FunctionalInterface
    private interface Answer<Q, R> {
        R to(CallContext context, Q request) throws TatamiException;
    }

    FakeMetadata(Supplier<ClusterMap> map) {
        this.map = map;
    }

    /** Directories resolved from now on have their entries divided over so many shards. */
    public synchronized void setSpread(int shards) {
        spread = shards;
    }

    /** So many requests of one deletion it takes from now on until a directory is deleted. */
    public synchronized void setPartsOfDeletion(int parts) {
        partsOfDeletion = parts;
    }

    public synchronized boolean hasDirectory(String path) {
        return directories.containsKey(path);
    }

    public synchronized void addDirectory(String path) {
        link(path, nextId++);
    }

    private void link(String path, long directory) {
        directories.put(path, directory);
        linkOf.put(directory, ++lastLink);
    }

    /** A directory is about to be renamed. */
    public synchronized void reserve(String from, String to) {
        reserved.put(to, Objects.requireNonNull(directories.get(from)));
    }

    /** Handles of a directory, and of all below it, are stale from now on. */
    public synchronized void change(String path) {
        changedAt.put(Objects.requireNonNull(directories.get(path)), ++version);
    }

    public synchronized void moveDirectory(String from, String to) {
        change(from);
        link(to, Objects.requireNonNull(directories.remove(from)));
        reserved.remove(to);
    }

    public synchronized void addLink(String directory, String name, String target) {
        links.computeIfAbsent(Objects.requireNonNull(directories.get(directory)), key -> new TreeMap<>())
                .put(name, target);
    }

    /** The next renewal tells that this file's lease is gone, and so does every request for it. */
    public synchronized void loseLease(FileId file) {
        lostLeases.add(file.value());
    }

    /** Forgets every session. */
    public synchronized void dropSessions() {
        sessions += 100;
    }

    public synchronized List<BlockLocation> blocksOf(FileId file) {
        return Objects.requireNonNull(byId.get(file.value())).status(true).getBlockList();
    }

    public synchronized Status status(FileId file) {
        return Objects.requireNonNull(byId.get(file.value())).status(true);
    }

    HandlerTable addTo(HandlerTable table) {
        on(
                table,
                MetaMethods.GET_CLUSTER_MAP,
                (context, request) ->
                        GetClusterMapReply.newBuilder().setMap(map.get()).build());
        on(
                table,
                MetaMethods.OPEN_SESSION,
                (context, request) ->
                        OpenSessionReply.newBuilder().setSession(++sessions).build());
        on(table, MetaMethods.GROUP_STATUS, (context, request) -> GroupStatusReply.getDefaultInstance());
        on(table, MetaMethods.CLOSE_SESSION, (context, request) -> Empty.getDefaultInstance());
        on(table, MetaMethods.RESOLVE, (context, request) -> resolve(request.getPath()));
        on(
                table,
                MetaMethods.GET_DIRECTORY,
                (context, request) -> GetDirectoryReply.newBuilder()
                        .setStatus(directory(request.getPath()))
                        .build());
        on(table, MetaMethods.GET_DIRECTORIES, (context, request) -> directories(request));
        on(table, MetaMethods.READ_SHARES, (context, request) -> shares(request.getDirectoryIdList()));
        on(table, MetaMethods.LOOKUP, (context, request) -> lookup(request));
        on(table, MetaMethods.LIST, this::list);
        on(table, MetaMethods.CREATE, this::create);
        on(table, MetaMethods.ADD_BLOCKS, this::addBlocks);
        on(table, MetaMethods.COMMIT_LENGTH, this::commitLength);
        on(table, MetaMethods.COMPLETE, this::complete);
        on(table, MetaMethods.APPEND, this::append);
        on(table, MetaMethods.RENEW_BLOCK, this::renewBlock);
        on(
                table,
                MetaMethods.GET_BLOCKS,
                (context, request) -> GetBlocksReply.newBuilder()
                        .setStatus(atHome(request.getFileId()))
                        .build());
        on(table, MetaMethods.DELETE_FILE, (context, request) -> delete(request));
        on(table, MetaMethods.RENAME_FILE, (context, request) -> rename(request));
        on(table, MetaMethods.DELETE_DIRECTORY, (context, request) -> delete(request));
        on(table, MetaMethods.MKDIRS, (context, request) -> mkdirs(request.getPath()));
        on(
                table,
                MetaMethods.RENEW_LEASES,
                (context, request) -> RenewLeasesReply.newBuilder()
                        .addAllLostFileId(request.getFileIdList().stream()
                                .filter(lostLeases::contains)
                                .toList())
                        .build());
        return table;
    }

    private <Q extends Message, R extends Message> void on(
            HandlerTable table, Method<Q, R> method, Answer<Q, R> answer) {
        table.on(method, (context, request, responder) -> {
            try {
                responder.success(answer(context, method, request, answer));
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
    }

    private synchronized <Q extends Message, R extends Message> R answer(
            CallContext context, Method<Q, R> method, Q request, Answer<Q, R> answer) throws TatamiException {
        long session = context.session().value();
        Faults.Fault fault = faults.arrive(
                new Faults.Arrival(method.number(), session, context.number(), context.lowWaterMark(), request));
        if (fault != null && !fault.done()) {
            throw fault.failure();
        }
        if (!method.idempotent() && session <= sessions - 100) {
            throw new TatamiException(ErrorCode.NO_SUCH_SESSION, "no session " + session);
        }
        R reply = remembered(context, method, request, answer);
        if (fault != null) {
            throw fault.failure();
        }
        return reply;
    }

    private <Q extends Message, R extends Message> R remembered(
            CallContext context, Method<Q, R> method, Q request, Answer<Q, R> answer) throws TatamiException {
        if (context.number() == 0) {
            return answer.to(context, request);
        }
        String key = context.session() + "-" + context.number();
        Message known = replies.get(key);
        if (known == null) {
            known = answer.to(context, request);
            replies.put(key, known);
        }
        return parsed(method, known);
    }

    private static <R extends Message> R parsed(Method<?, R> method, Message message) {
        try {
            return method.replyParser().parseFrom(message.toByteString());
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private ResolveReply resolve(String path) {
        String found = path;
        while (!directories.containsKey(found)) {
            int slash = found.lastIndexOf('/');
            found = slash == 0 ? "/" : found.substring(0, slash);
        }
        Handle.Builder handle = Handle.newBuilder()
                .setDirectoryId(Objects.requireNonNull(directories.get(found)))
                .setVersion(version)
                .setSpread((int) spread);
        for (String above = found; !above.equals("/"); ) {
            int slash = above.lastIndexOf('/');
            above = slash == 0 ? "/" : above.substring(0, slash);
            handle.addAncestorId(Objects.requireNonNull(directories.get(above)));
        }
        return ResolveReply.newBuilder()
                .setHandle(SignedHandle.newBuilder().setPayload(handle.build().toByteString()))
                .setResolvedComponents(found.equals("/") ? 0 : found.split("/", -1).length - 1)
                .setLinks(lastLink)
                .build();
    }

    private long fresh(SignedHandle signed) throws TatamiException {
        Handle handle;
        try {
            handle = Handle.parseFrom(signed.getPayload());
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
        List<Long> path = new ArrayList<>(handle.getAncestorIdList());
        path.add(handle.getDirectoryId());
        for (long id : path) {
            if (changedAt.getOrDefault(id, 0L) > handle.getVersion()) {
                throw new TatamiException(ErrorCode.STALE_HANDLE, "d" + id + " changed");
            }
        }
        return handle.getDirectoryId();
    }

    private Status directory(String path) throws TatamiException {
        Long id = directories.get(path);
        if (id == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "no directory " + path);
        }
        return directoryStatus(path, id);
    }

    private Status directoryStatus(String path, long id) {
        return Status.newBuilder()
                .setKind(Status.Kind.DIRECTORY)
                .setName(path.substring(path.lastIndexOf('/') + 1))
                .setId(id)
                .setSpread((int) spread)
                .setLink(linkOf.getOrDefault(id, 0L))
                .build();
    }

    private GetDirectoriesReply directories(GetDirectoriesRequest request) {
        GetDirectoriesReply.Builder reply = GetDirectoriesReply.newBuilder().setLinks(lastLink);
        directories.forEach((parent, parentId) -> {
            if (parentId == request.getParentId()) {
                for (String name : request.getNameList()) {
                    String path = parent.equals("/") ? "/" + name : parent + "/" + name;
                    Long id = directories.get(path);
                    if (id != null) {
                        reply.addStatus(directoryStatus(path, id));
                    }
                }
            }
        });
        return reply.build();
    }

    /** The last change of a directory's entries is told as its id, so that tests can tell that it was asked for. */
    private static ReadSharesReply shares(List<Long> ids) {
        ReadSharesReply.Builder reply = ReadSharesReply.newBuilder();
        ids.forEach(id -> reply.addShare(Share.newBuilder().setDirectoryId(id).setLastChangeMillis(id)));
        return reply.build();
    }

    private TreeMap<String, Status> entries(long directory, boolean withContent) {
        TreeMap<String, Status> entries = new TreeMap<>();
        files.getOrDefault(directory, new TreeMap<>())
                .forEach((name, file) -> entries.put(name, file.entry(withContent)));
        links.getOrDefault(directory, new TreeMap<>())
                .forEach((name, target) -> entries.put(
                        name,
                        Status.newBuilder()
                                .setKind(Status.Kind.SYMLINK)
                                .setName(name)
                                .setSymlinkTarget(target)
                                .build()));
        entries.putAll(markers(directory, reserved));
        entries.putAll(markers(directory, directories));
        return entries;
    }

    private Map<String, Status> markers(long directory, Map<String, Long> names) {
        Map<String, Status> markers = new HashMap<>();
        names.forEach((path, id) -> {
            int slash = path.lastIndexOf('/');
            Long parent = directories.get(slash == 0 ? "/" : path.substring(0, slash));
            if (parent != null && parent == directory && path.length() > 1) {
                Status kept = directoryStatus(path, id).toBuilder().clearLink().build();
                markers.put(path.substring(slash + 1), kept);
            }
        });
        return markers;
    }

    private LookupReply lookup(LookupRequest request) throws TatamiException {
        Status found = entries(fresh(request.getHandle()), request.getOpen()).get(request.getName());
        if (found == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, request.getName() + " is not here");
        }
        return LookupReply.newBuilder().setStatus(found).build();
    }

    private ListReply list(CallContext context, ListRequest request) throws TatamiException {
        long directory = fresh(request.getHandle());
        ListReply.Builder reply = ListReply.newBuilder();
        for (Status status : entries(directory, request.getWithLocations())
                .tailMap(request.getAfter(), false)
                .values()) {
            boolean isHere = Placement.shardOf(new DirectoryId(directory), status.getName(), (int) spread, SHARDS)
                    .equals(context.group());
            if (isHere && reply.getStatusCount() == request.getLimit()) {
                return reply.setMore(true).build();
            }
            if (isHere) {
                reply.addStatus(status);
            }
        }
        return reply.build();
    }

    private CreateReply create(CallContext context, CreateRequest request) throws TatamiException {
        long directory = fresh(request.getHandle());
        TreeMap<String, FakeFile> here = files.computeIfAbsent(directory, key -> new TreeMap<>());
        if (here.containsKey(request.getName()) && !request.getOverwrite()) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, request.getName());
        }
        int shard = Objects.requireNonNull(context.group()).shard();
        FakeFile file = new FakeFile(
                FileId.of(shard, 0, nextId++), request.getName(), request.getBlockSize(), request.getReplication());
        file.writerSession = context.session().value();
        here.put(request.getName(), file);
        byId.put(file.id.value(), file);
        return CreateReply.newBuilder().setStatus(file.status(false)).build();
    }

    private Status atHome(long id) throws TatamiException {
        FakeFile file = byId.get(id);
        if (file == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "file " + id + " does not exist");
        }
        return file.status(true);
    }

    /** Deletes a file without asking through a client. */
    public synchronized void deleteFile(String directory, String name) {
        byId.remove(taken(directory, name).id.value());
    }

    /** Renames a file within its directory without asking through a client. */
    public synchronized void moveFile(String directory, String from, String to) {
        FakeFile file = taken(directory, from);
        file.name = to;
        filesIn(directory).put(to, file);
    }

    /** Closes a file as its writer would. */
    public synchronized void closeFile(String directory, String name) {
        FakeFile file = Objects.requireNonNull(filesIn(directory).get(name));
        file.open = false;
        file.version++;
    }

    private FakeFile taken(String directory, String name) {
        return Objects.requireNonNull(filesIn(directory).remove(name));
    }

    private TreeMap<String, FakeFile> filesIn(String directory) {
        return Objects.requireNonNull(files.get(Objects.requireNonNull(directories.get(directory))));
    }

    private Empty delete(DeleteFileRequest request) throws TatamiException {
        long directory = fresh(request.getHandle());
        TreeMap<String, FakeFile> here = files.getOrDefault(directory, new TreeMap<>());
        if (here.remove(request.getName()) == null) {
            boolean isDirectory = entries(directory, false).containsKey(request.getName());
            throw new TatamiException(isDirectory ? ErrorCode.IS_A_DIRECTORY : ErrorCode.NOT_FOUND, request.getName());
        }
        return Empty.getDefaultInstance();
    }

    private Empty rename(RenameFileRequest request) throws TatamiException {
        long from = fresh(request.getSourceHandle());
        long to = fresh(request.getDestinationHandle());
        FakeFile file = files.getOrDefault(from, new TreeMap<>()).remove(request.getSourceName());
        if (file == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, request.getSourceName());
        }
        file.name = request.getDestinationName();
        file.moved = true;
        files.computeIfAbsent(to, none -> new TreeMap<>()).put(file.name, file);
        return Empty.getDefaultInstance();
    }

    private MkdirsReply mkdirs(String path) {
        boolean isNew = !directories.containsKey(path);
        String made = path;
        while (!made.isEmpty() && !directories.containsKey(made)) {
            addDirectory(made);
            made = made.substring(0, made.lastIndexOf('/'));
        }
        return MkdirsReply.newBuilder().setCreated(isNew).build();
    }

    private DeleteDirectoryReply delete(DeleteDirectoryRequest request) {
        int parts = deletionParts.merge(request, 1, Integer::sum);
        boolean unfinished = parts < partsOfDeletion;
        if (!unfinished) {
            change(request.getPath());
            directories.keySet().removeIf(path -> (path + "/").startsWith(request.getPath() + "/"));
        }
        return DeleteDirectoryReply.newBuilder().setUnfinished(unfinished).build();
    }

    private FakeFile written(CallContext context, long id) throws TatamiException {
        FakeFile file = byId.get(id);
        if (file == null
                || !file.open
                || lostLeases.contains(id)
                || file.writerSession != context.session().value()) {
            throw new TatamiException(ErrorCode.LEASE_EXPIRED, "no lease on " + id);
        }
        return file;
    }

    private AddBlocksReply addBlocks(CallContext context, AddBlocksRequest request) throws TatamiException {
        FakeFile file = written(context, request.getFileId());
        file.take(request.getWrittenList(), true);
        AddBlocksReply.Builder reply = AddBlocksReply.newBuilder();
        for (int i = 0; i < request.getGrants(); i++) {
            reply.addGrant(grant(file, Set.of()));
        }
        return reply.build();
    }

    private Grant grant(FakeFile file, Set<Integer> without) {
        return file.grant(BlockId.of(file.id.home().shard(), 0, nextId++).value(), place(file.replication, without));
    }

    private List<Integer> place(int copies, Set<Integer> without) {
        return map.get().getBlockServerList().stream()
                .map(server -> server.getServerId())
                .filter(id -> !without.contains(id))
                .limit(copies)
                .toList();
    }

    private Empty commitLength(CallContext context, CommitLengthRequest request) throws TatamiException {
        written(context, request.getFileId()).take(request.getWrittenList(), false);
        return Empty.getDefaultInstance();
    }

    private CompleteReply complete(CallContext context, CompleteRequest request) throws TatamiException {
        FakeFile file = written(context, request.getFileId());
        file.take(request.getWrittenList(), true);
        file.blocks.removeIf(block -> request.getUnusedBlockIdList().contains(block.getBlockId()));
        for (BlockLocation.Builder block : file.blocks) {
            if (block.getOpen()) {
                throw new TatamiException(ErrorCode.INVALID_ARGUMENT, block + " was neither reported nor given up");
            }
        }
        file.inline = request.hasInline() ? request.getInline() : null;
        file.open = false;
        file.version++;
        return CompleteReply.newBuilder().setStatus(file.status(false)).build();
    }

    private AppendReply append(CallContext context, AppendRequest request) throws TatamiException {
        @Nullable
        FakeFile file =
                files.getOrDefault(fresh(request.getHandle()), new TreeMap<>()).get(request.getName());
        if (file == null || file.open) {
            throw new TatamiException(file == null ? ErrorCode.NOT_FOUND : ErrorCode.LEASE_HELD, request.getName());
        }
        file.open = true;
        file.writerSession = context.session().value();
        AppendReply.Builder reply = AppendReply.newBuilder();
        if (file.inline != null) {
            reply.setInline(file.inline);
        } else if (!file.blocks.isEmpty()) {
            BlockLocation.Builder last = file.blocks.get(file.blocks.size() - 1);
            reply.getStatusBuilder().addBlock(last);
            if (last.getLength() < file.blockSize && !request.getNewBlock()) {
                last.setOpen(true);
                reply.setLastBlock(last.clone().setGeneration(last.getGeneration() + 1));
            }
        }
        reply.getStatusBuilder().mergeFrom(file.status(false));
        return reply.build();
    }

    private RenewBlockReply renewBlock(CallContext context, RenewBlockRequest request) throws TatamiException {
        FakeFile file = written(context, request.getFileId());
        for (BlockLocation.Builder block : file.blocks) {
            if (block.getBlockId() == request.getBlockId()) {
                return RenewBlockReply.newBuilder()
                        .setGrant(renewed(file, block, request))
                        .build();
            }
        }
        throw new TatamiException(ErrorCode.FENCED, "no such block");
    }

    private Grant renewed(FakeFile file, BlockLocation.Builder block, RenewBlockRequest request) {
        Set<Integer> failed = new HashSet<>(request.getFailedServerIdList());
        List<Integer> left = block.getServerIdList().stream()
                .filter(server -> !failed.contains(server))
                .toList();
        List<Integer> servers = left.isEmpty() ? place(file.replication, failed) : left;
        long generation = request.getCommitted() ? request.getGeneration() : request.getGeneration() + 1;
        if (request.getCommitted()) {
            block.setGeneration(generation).clearServerId().addAllServerId(servers);
        } else if (left.isEmpty()) {
            block.clearServerId().addAllServerId(servers);
        }
        return Grant.newBuilder()
                .setBlockId(block.getBlockId())
                .setGeneration(generation)
                .addAllServerId(servers)
                .build();
    }
}
