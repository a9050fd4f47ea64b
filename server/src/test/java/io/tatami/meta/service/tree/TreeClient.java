package io.tatami.meta.service.tree;

import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What somebody asks of a {@link TreeCluster}. */
final class TreeClient {
    private final TreeCluster cluster;
    private final Caller caller;

    TreeClient(TreeCluster cluster, Caller caller) {
        this.cluster = cluster;
        this.caller = caller;
    }

    static TreeClient root(TreeCluster cluster) {
        return new TreeClient(cluster, new Caller("root", List.of("supergroup"), true));
    }

    static TreeClient user(TreeCluster cluster, String name, String... groups) {
        return new TreeClient(cluster, new Caller(name, List.of(groups), false));
    }

    boolean mkdirs(String path) throws TatamiException {
        return mkdirs(path, 0755);
    }

    boolean mkdirs(String path, int mode) throws TatamiException {
        return cluster.call(caller, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirsRequest(path, mode, true))
                .getCreated();
    }

    boolean mkdir(String path) throws TatamiException {
        return cluster.call(caller, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirsRequest(path, 0755, false))
                .getCreated();
    }

    static MkdirsRequest mkdirsRequest(String path, int mode, boolean parents) {
        return MkdirsRequest.newBuilder()
                .setPath(path)
                .setCreateParents(parents)
                .setModes(CreateModes.newBuilder().setMasked(mode).setUnmasked(mode))
                .build();
    }

    void rename(String source, String destination, boolean overwrite) throws TatamiException {
        cluster.call(
                caller,
                GroupId.NAMESPACE,
                MetaMethods.RENAME_DIRECTORY,
                RenameDirectoryRequest.newBuilder()
                        .setSource(source)
                        .setDestination(destination)
                        .setOverwrite(overwrite)
                        .build());
    }

    void delete(String path, boolean recursive) throws TatamiException {
        cluster.call(
                caller,
                GroupId.NAMESPACE,
                MetaMethods.DELETE_DIRECTORY,
                DeleteDirectoryRequest.newBuilder()
                        .setPath(path)
                        .setRecursive(recursive)
                        .build());
    }

    /** One request of a deletion with all that is below. */
    CompletableFuture<DeleteDirectoryReply> deletePart(String path, long deletion) {
        return deletePart(new RequestOrigin(caller, SessionId.NONE, 0, 0, RequestOrigin.NO_DEADLINE), path, deletion);
    }

    CompletableFuture<DeleteDirectoryReply> deletePart(RequestOrigin origin, String path, long deletion) {
        DeleteDirectoryRequest request = DeleteDirectoryRequest.newBuilder()
                .setPath(path)
                .setRecursive(true)
                .setDeletion(deletion)
                .build();
        return cluster.send(origin, GroupId.NAMESPACE, MetaMethods.DELETE_DIRECTORY, request);
    }

    /** {@link #mkdirs}, {@link #rename} and so on without waiting for the reply. */
    <Q extends Message, R extends Message> CompletableFuture<R> begin(Method<Q, R> method, Q request) {
        RequestOrigin origin = new RequestOrigin(caller, SessionId.NONE, 0, 0, RequestOrigin.NO_DEADLINE);
        return cluster.send(origin, GroupId.NAMESPACE, method, request);
    }

    void change(String path, AttributeChange change) throws TatamiException {
        Empty unused = cluster.call(
                caller,
                GroupId.NAMESPACE,
                MetaMethods.SET_DIRECTORY_ATTRIBUTES,
                SetDirectoryAttributesRequest.newBuilder()
                        .setPath(path)
                        .setChange(change)
                        .build());
    }

    void chmod(String path, int mode) throws TatamiException {
        change(path, AttributeChange.newBuilder().setMode(mode).build());
    }

    Status status(String path) throws TatamiException {
        return cluster.call(
                        caller,
                        GroupId.NAMESPACE,
                        MetaMethods.GET_DIRECTORY,
                        GetDirectoryRequest.newBuilder().setPath(path).build())
                .getStatus();
    }

    boolean isDirectory(String path) throws TatamiException {
        try {
            return status(path).getId() != 0;
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    ContentSummaryReply summary(String path) throws TatamiException {
        ContentSummaryReply reply = summary(path, 0);
        while (reply.getUnfinished() != 0) {
            reply = summary(path, reply.getUnfinished());
        }
        return reply;
    }

    /** One request: a new count, or some more of one that rests. */
    ContentSummaryReply summary(String path, long unfinished) throws TatamiException {
        return cluster.call(
                caller,
                GroupId.NAMESPACE,
                MetaMethods.CONTENT_SUMMARY,
                ContentSummaryRequest.newBuilder()
                        .setPath(path)
                        .setUnfinished(unfinished)
                        .build());
    }

    LocateDirectoryReply locate(long directory) throws TatamiException {
        return cluster.call(
                caller,
                GroupId.NAMESPACE,
                MetaMethods.LOCATE_DIRECTORY,
                LocateDirectoryRequest.newBuilder().setDirectoryId(directory).build());
    }

    ResolveReply resolve(String path) throws TatamiException {
        return cluster.call(
                caller,
                GroupId.NAMESPACE,
                MetaMethods.RESOLVE,
                ResolveRequest.newBuilder().setPath(path).build());
    }

    /** Leaves the waiting for later. */
    CompletableFuture<ResolveReply> resolveLater(String path) {
        RequestOrigin origin =
                new RequestOrigin(caller, RequestOrigin.SERVICE.session(), 0, 0, RequestOrigin.NO_DEADLINE);
        return cluster.send(
                origin,
                GroupId.NAMESPACE,
                MetaMethods.RESOLVE,
                ResolveRequest.newBuilder().setPath(path).build());
    }

    /** A file through a fresh handle of its parent. */
    void create(String path) throws TatamiException {
        int slash = path.lastIndexOf('/');
        String parent = slash == 0 ? "/" : path.substring(0, slash);
        ResolveReply resolved = resolve(parent);
        int wanted = slash == 0 ? 0 : (int) parent.chars().filter(c -> c == '/').count();
        if (resolved.getResolvedComponents() < wanted) {
            throw new TatamiException(ErrorCode.NOT_FOUND, parent);
        }
        createThrough(resolved.getHandle(), path.substring(slash + 1));
    }

    /** Renames a file. */
    void renameFile(String source, String destination) throws TatamiException {
        SignedHandle from =
                resolve(source.substring(0, source.lastIndexOf('/'))).getHandle();
        renameFileFrom(from, source.substring(source.lastIndexOf('/') + 1), destination);
    }

    /** Renames a file of a directory whose handle may be old. */
    void renameFileFrom(SignedHandle from, String sourceName, String destination) throws TatamiException {
        int slash = destination.lastIndexOf('/');
        SignedHandle to = resolve(destination.substring(0, slash)).getHandle();
        String name = destination.substring(slash + 1);
        RenameFileRequest request = RenameFileRequest.newBuilder()
                .setSourceHandle(from)
                .setSourceName(sourceName)
                .setDestinationHandle(to)
                .setDestinationName(name)
                .setDestinationPath(destination)
                .build();
        Empty unused = cluster.call(caller, shardOf(to, name), MetaMethods.RENAME_FILE, request);
    }

    GroupId shardOf(SignedHandle signed, String name) throws TatamiException {
        Handle handle = cluster.signer.open(signed);
        return Placement.shardOf(
                new DirectoryId(handle.getDirectoryId()), name, handle.getSpread(), TreeCluster.SHARDS);
    }

    /** A file through a handle that may be old. */
    void createThrough(SignedHandle signed, String name) throws TatamiException {
        CreateReply unused = cluster.call(
                caller,
                shardOf(signed, name),
                MetaMethods.CREATE,
                CreateRequest.newBuilder().setHandle(signed).setName(name).build());
    }
}
