package io.tatami.client.entry;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.RefusalSubject.EntrySubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.CreateSymlinkRequest;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import io.tatami.protocol.wire.SetFileAttributesRequest;
import io.tatami.protocol.wire.Status;

/**
 * Entries are made, renamed, deleted, and given other attributes. A file is asked of the shard that owns its name, a
 * directory of the namespace group; which of the two a path is, the first answer tells. Safe for use by many threads.
 */
public final class EntryChanges {
    /** The permission bits that HDFS adds to parents made on the way, so that their owner can use them. */
    private static final int OWNER_WRITE_EXECUTE = 0300;

    private final MetadataCaller caller;
    private final PathResolver resolver;
    private final BlockServers servers;

    /** @param servers tell the host of this client, near which a new file's first block is placed */
    public EntryChanges(MetadataCaller caller, PathResolver resolver, BlockServers servers) {
        this.caller = caller;
        this.resolver = resolver;
        this.servers = servers;
    }

    /**
     * Makes a file that is open for writing by this client.
     *
     * @param spec with replication, block size and least number of copies set
     * @param withGrant asks for the first block too, where its place is at hand
     */
    public CreateReply create(TatamiPath path, CreateSpec spec, boolean withGrant) throws TatamiException {
        if (path.isRoot()) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, "/ already exists as a directory");
        }
        Deadline deadline = caller.deadline();
        CreateRequest request = CreateRequest.newBuilder()
                .setName(path.name())
                .setModes(spec.modes())
                .setOverwrite(spec.overwrite())
                .setReplication(spec.replication())
                .setCopiesMin(spec.copiesMin() > 1 ? spec.copiesMin() : 0)
                .setBlockSize(spec.blockSizeBytes())
                .setGrants(withGrant ? 1 : 0)
                .setClientHost(servers.clientHost())
                .build();
        return made(
                path,
                spec.createParents(),
                deadline,
                parent -> caller.call(
                        shard(parent, path),
                        MetaMethods.CREATE,
                        request.toBuilder().setHandle(parent.signed()).build(),
                        deadline));
    }

    /** @see io.tatami.client.TatamiClient#mkdirs */
    public boolean mkdirs(TatamiPath path, CreateModes modes, boolean createParents) throws TatamiException {
        Deadline deadline = caller.deadline();
        MkdirsRequest request = MkdirsRequest.newBuilder()
                .setPath(path.toString())
                .setModes(modes)
                .setCreateParents(createParents)
                .build();
        return explained(
                path,
                deadline,
                () -> caller.call(GroupId.NAMESPACE, MetaMethods.MKDIRS, request, deadline)
                        .getCreated());
    }

    /**
     * Makes an entry in the directory of {@code path}.
     *
     * @param createParents whether the directory is made where it is missing; once more where it turns out to have
     *     gone, as one may that was cached
     */
    private <T> T made(TatamiPath path, boolean createParents, Deadline deadline, PathResolver.InDirectory<T> request)
            throws TatamiException {
        if (!createParents) {
            return resolver.inParent(path, deadline, request);
        }
        Backoff backoff = caller.backoff();
        while (true) {
            makeParents(path, deadline);
            try {
                return resolver.inParent(path, deadline, request);
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.NOT_FOUND || deadline.isOver()) {
                    throw e;
                }
                backoff.pause(deadline);
            }
        }
    }

    /**
     * Makes the missing directories above {@code path} as HDFS does for a create: with the mode of the nearest existing
     * one, and write and execute for the owner.
     */
    private void makeParents(TatamiPath path, Deadline deadline) throws TatamiException {
        TatamiPath parent = path.parent();
        ResolvedDirectory deepest = resolver.cached(parent);
        if (deepest == null) {
            deepest = resolver.deepest(parent, deadline);
        }
        if (!deepest.path().equals(parent)) {
            int mode = (deepest.attributes().getMode() & 0777) | OWNER_WRITE_EXECUTE;
            makeParent(parent, CreateSpec.modes(mode, 0));
        }
    }

    /** Makes the parent. A file in its place is reported as NOT_A_DIRECTORY. */
    private void makeParent(TatamiPath parent, CreateModes modes) throws TatamiException {
        try {
            mkdirs(parent, modes, true);
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.ALREADY_EXISTS) {
                throw e;
            }
            throw new TatamiException(ErrorCode.NOT_A_DIRECTORY, parent + " (is not a directory)", e);
        }
    }

    /** @see io.tatami.client.TatamiClient#createSymlink */
    public void createSymlink(TatamiPath link, String target, boolean createParents) throws TatamiException {
        Deadline deadline = caller.deadline();
        CreateSymlinkRequest request = CreateSymlinkRequest.newBuilder()
                .setName(link.name())
                .setTarget(target)
                .build();
        made(
                link,
                createParents,
                deadline,
                parent -> caller.call(
                        shard(parent, link),
                        MetaMethods.CREATE_SYMLINK,
                        request.toBuilder().setHandle(parent.signed()).build(),
                        deadline));
    }

    /** @see io.tatami.client.TatamiClient#rename */
    public void rename(TatamiPath source, TatamiPath destination, boolean overwrite) throws TatamiException {
        if (source.isRoot() || destination.isRoot()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "The root directory cannot be renamed or replaced");
        }
        Deadline deadline = caller.deadline();
        boolean knownDirectory = resolver.cached(source) != null;
        if (!knownDirectory && renameFile(source, destination, overwrite, deadline)) {
            return;
        }
        RenameDirectoryRequest request = RenameDirectoryRequest.newBuilder()
                .setSource(source.toString())
                .setDestination(destination.toString())
                .setOverwrite(overwrite)
                .build();
        try {
            explained(
                    source,
                    deadline,
                    () -> explained(
                            destination,
                            deadline,
                            () -> caller.call(GroupId.NAMESPACE, MetaMethods.RENAME_DIRECTORY, request, deadline)));
        } catch (TatamiException e) {
            resolver.drop(source);
            if (!knownDirectory
                    || !PathFailures.isAbsence(e)
                    || !renameFile(source, destination, overwrite, deadline)) {
                throw e;
            }
        }
        resolver.drop(source);
        resolver.drop(destination);
    }

    /** Renames a file; returns false if the source is a directory, which the namespace group renames. */
    private boolean renameFile(TatamiPath source, TatamiPath destination, boolean overwrite, Deadline deadline)
            throws TatamiException {
        RenameFileRequest request = RenameFileRequest.newBuilder()
                .setSourceName(source.name())
                .setDestinationName(destination.name())
                .setDestinationPath(destination.toString())
                .setOverwrite(overwrite)
                .build();
        while (true) {
            try {
                renameFile(source, destination, request, deadline);
                return true;
            } catch (TatamiException e) {
                if (e.code() == ErrorCode.IS_A_DIRECTORY && isDirectory(source, deadline)) {
                    return false;
                }
                boolean isReplaced = e.code() == ErrorCode.IS_A_DIRECTORY
                        && e.subject() instanceof EntrySubject entry
                        && entry.directory() == RequestDirectory.SOURCE;
                if (!isReplaced) {
                    throw PathFailures.named(e, source, destination);
                }
                // A file has taken the directory's name since the server's check.
            }
        }
    }

    private void renameFile(TatamiPath source, TatamiPath destination, RenameFileRequest request, Deadline deadline)
            throws TatamiException {
        resolver.in(source.parent(), source, deadline, from -> {
            ResolvedDirectory to = resolver.resolve(destination.parent(), destination, deadline);
            RenameFileRequest full = request.toBuilder()
                    .setSourceHandle(from.signed())
                    .setDestinationHandle(to.signed())
                    .build();
            try {
                return caller.call(shard(to, destination), MetaMethods.RENAME_FILE, full, deadline);
            } catch (TatamiException e) {
                resolver.forgetIfStale(e, destination.parent());
                throw e;
            }
        });
    }

    /** @see io.tatami.client.TatamiClient#delete */
    public boolean delete(TatamiPath path, boolean recursive) throws TatamiException {
        if (path.isRoot()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "The root directory cannot be deleted");
        }
        Deadline deadline = caller.deadline();
        try {
            if (resolver.cached(path) == null && deleteFile(path, deadline)) {
                return true;
            }
            return deleteDirectory(path, recursive, deadline) || deleteFile(path, deadline);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    /** Deletes a file; returns false if the path is a directory. */
    private boolean deleteFile(TatamiPath path, Deadline deadline) throws TatamiException {
        DeleteFileRequest request =
                DeleteFileRequest.newBuilder().setName(path.name()).build();
        try {
            resolver.inParent(
                    path,
                    deadline,
                    parent -> caller.call(
                            shard(parent, path),
                            MetaMethods.DELETE_FILE,
                            request.toBuilder().setHandle(parent.signed()).build(),
                            deadline));
            return true;
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.IS_A_DIRECTORY) {
                return false;
            }
            throw e;
        }
    }

    /** Deletes a directory; returns false if there is none. */
    private boolean deleteDirectory(TatamiPath path, boolean recursive, Deadline deadline) throws TatamiException {
        DeleteDirectoryRequest request = DeleteDirectoryRequest.newBuilder()
                .setPath(path.toString())
                .setRecursive(recursive)
                .setDeletion(caller.draw())
                .build();
        try {
            Deadline ofThis = deadline;
            while (deletePart(path, request, ofThis)) {
                ofThis = caller.deadline();
            }
            return true;
        } catch (TatamiException e) {
            if (PathFailures.isAbsence(e)) {
                return false;
            }
            throw e;
        } finally {
            resolver.drop(path);
        }
    }

    /** Sends one request of a deletion; returns true if it must be continued by another, and nothing is deleted yet. */
    private boolean deletePart(TatamiPath path, DeleteDirectoryRequest request, Deadline deadline)
            throws TatamiException {
        return explained(
                path,
                deadline,
                () -> caller.call(GroupId.NAMESPACE, MetaMethods.DELETE_DIRECTORY, request, deadline)
                        .getUnfinished());
    }

    /** @see io.tatami.client.TatamiClient#setAttributes */
    public void setAttributes(TatamiPath path, AttributeChange change) throws TatamiException {
        Deadline deadline = caller.deadline();
        if (path.isRoot()) {
            setDirectoryAttributes(path, change, deadline);
            return;
        }
        SetFileAttributesRequest request = SetFileAttributesRequest.newBuilder()
                .setName(path.name())
                .setChange(change)
                .build();
        try {
            resolver.inParent(
                    path,
                    deadline,
                    parent -> caller.call(
                            shard(parent, path),
                            MetaMethods.SET_FILE_ATTRIBUTES,
                            request.toBuilder().setHandle(parent.signed()).build(),
                            deadline));
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.IS_A_DIRECTORY) {
                throw e;
            }
            setDirectoryAttributes(path, change, deadline);
        }
    }

    private void setDirectoryAttributes(TatamiPath path, AttributeChange change, Deadline deadline)
            throws TatamiException {
        SetDirectoryAttributesRequest request = SetDirectoryAttributesRequest.newBuilder()
                .setPath(path.toString())
                .setChange(change)
                .build();
        explained(
                path,
                deadline,
                () -> caller.call(GroupId.NAMESPACE, MetaMethods.SET_DIRECTORY_ATTRIBUTES, request, deadline));
        resolver.drop(path);
    }

    private boolean isDirectory(TatamiPath path, Deadline deadline) throws TatamiException {
        Status status = resolver.inParent(
                path,
                deadline,
                parent -> resolver.lookup(parent, path.name(), LookupRequest.getDefaultInstance(), deadline));
        return status.getKind() == Status.Kind.DIRECTORY;
    }

    private GroupId shard(ResolvedDirectory parent, TatamiPath path) {
        return parent.shardOf(path.name(), caller.shards());
    }

    /** A request to the namespace group about a whole path. */
    @FunctionalInterface
    private interface OnTree<T> {
        T ask() throws TatamiException;
    }

    private <T> T explained(TatamiPath path, Deadline deadline, OnTree<T> request) throws TatamiException {
        try {
            return request.ask();
        } catch (UnresolvedLinkException e) {
            throw e;
        } catch (TatamiException e) {
            throw path.isRoot() ? e : resolver.explain(e, path, deadline);
        }
    }
}
