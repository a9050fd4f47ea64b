package io.tatami.client.entry;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.Status;
import org.jspecify.annotations.Nullable;

/**
 * Turns paths into handles: from the cache, or by one call to the namespace group for a path of any depth. Runs
 * requests with these handles. If a shard refuses a handle as older than a change of the tree (STALE_HANDLE), the
 * handles at and below that path are dropped and the request is made anew. Safe for use by many threads.
 */
public final class PathResolver {
    private final MetadataCaller caller;
    private final HandleCache cache;
    private final KnownLinks links = new KnownLinks();

    /** A request with a directory's handle. It may be called several times. */
    @FunctionalInterface
    interface InDirectory<T> {
        T ask(ResolvedDirectory directory) throws TatamiException;
    }

    public PathResolver(MetadataCaller caller, int handlesMax) {
        this.caller = caller;
        this.cache = new HandleCache(handlesMax);
    }

    KnownLinks links() {
        return links;
    }

    /** The cached directory of a path, which may be out of date; null if there is none. */
    @Nullable
    ResolvedDirectory cached(TatamiPath path) {
        return cache.get(path);
    }

    /** Drops the handles at and below a path, for instance after a rename. */
    void drop(TatamiPath path) {
        cache.drop(path);
    }

    /**
     * Resolves {@code directory} and makes a request with its handle.
     *
     * @param asked the whole path that the operation is about, for messages and links
     * @throws TatamiException NOT_FOUND, NOT_A_DIRECTORY, {@link UnresolvedLinkException}, or as the request
     */
    <T> T in(TatamiPath directory, TatamiPath asked, Deadline deadline, InDirectory<T> request) throws TatamiException {
        Backoff backoff = caller.backoff();
        while (true) {
            ResolvedDirectory resolved = resolve(directory, asked, deadline);
            try {
                return request.ask(resolved);
            } catch (TatamiException e) {
                dropStale(e, directory, deadline);
                backoff.pause(deadline);
            }
        }
    }

    /**
     * Makes a request with the handle of {@code path}'s parent, about its last name. Failures name the path, which
     * shards do not know. If the name is a symlink, the failure becomes an {@link UnresolvedLinkException}.
     */
    <T> T inParent(TatamiPath path, Deadline deadline, InDirectory<T> request) throws TatamiException {
        try {
            return in(path.parent(), path, deadline, request);
        } catch (TatamiException e) {
            throw PathFailures.named(e, path);
        }
    }

    /**
     * The status of a name, from the shard that owns it.
     *
     * @param request without handle and name
     */
    Status lookup(ResolvedDirectory in, String name, LookupRequest request, Deadline deadline) throws TatamiException {
        LookupRequest full =
                request.toBuilder().setHandle(in.signed()).setName(name).build();
        LookupReply reply = caller.call(in.shardOf(name, caller.shards()), MetaMethods.LOOKUP, full, deadline);
        return reply.getStatus();
    }

    /**
     * Drops the handle if {@code failure} is STALE_HANDLE and the deadline is not over; otherwise throws
     * {@code failure}.
     */
    void dropStale(TatamiException failure, TatamiPath directory, Deadline deadline) throws TatamiException {
        if (failure.code() != ErrorCode.STALE_HANDLE || deadline.isOver()) {
            throw failure;
        }
        cache.drop(directory);
    }

    /** For a request with two handles: the refusal does not say which of them is stale. */
    void forgetIfStale(TatamiException failure, TatamiPath directory) {
        if (failure.code() == ErrorCode.STALE_HANDLE) {
            cache.drop(directory);
        }
    }

    /**
     * The handle of a directory, from the cache or by a call.
     *
     * @param asked the path the operation is about; {@code directory} is it or a prefix of it
     */
    ResolvedDirectory resolve(TatamiPath directory, TatamiPath asked, Deadline deadline) throws TatamiException {
        Backoff backoff = caller.backoff();
        @Nullable TatamiPath kept = null;
        while (true) {
            ResolvedDirectory known = cache.get(directory);
            if (known != null) {
                return known;
            }
            ResolvedDirectory deepest = deepest(directory, deadline);
            if (deepest.path().equals(directory)) {
                return deepest;
            }
            TatamiPath next = directory.prefix(deepest.path().depth() + 1);
            if (kept != null && next.equals(kept)) {
                // Neither a directory, by the tree's answer before and after, nor a file, by the shard's between.
                throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + asked);
            }
            kept = isKeptForDirectory(deepest, next, asked, deadline) ? next : null;
            backoff.pause(deadline);
        }
    }

    /** The deepest directory on {@code path}, which may be the path itself. Always one call to the namespace group. */
    ResolvedDirectory deepest(TatamiPath path, Deadline deadline) throws TatamiException {
        ResolveRequest request =
                ResolveRequest.newBuilder().setPath(path.toString()).build();
        ResolveReply reply = caller.call(GroupId.NAMESPACE, MetaMethods.RESOLVE, request, deadline);
        ResolvedDirectory deepest = ResolvedDirectory.of(path.prefix(reply.getResolvedComponents()), reply.getHandle());
        links.heardOf(reply.getLinks());
        cache.put(deepest);
        return deepest;
    }

    /**
     * The exception to throw after the namespace group refused a whole path. That group knows no files and symlinks, so
     * the shard is asked: throws {@link UnresolvedLinkException} if a symlink above the last name is the reason,
     * NOT_A_DIRECTORY if a file is; otherwise returns the refusal. The answer stays valid if the file is deleted
     * meanwhile.
     */
    TatamiException explain(TatamiException refusal, TatamiPath path, Deadline deadline) throws TatamiException {
        boolean isLink = refusal.code() == ErrorCode.UNRESOLVED_LINK;
        if (!isLink && !PathFailures.isAbsence(refusal)) {
            return refusal;
        }
        TatamiPath parent = path.parent();
        ResolvedDirectory deepest = deepest(parent, deadline);
        if (!deepest.path().equals(parent)) {
            try {
                boolean unused =
                        isKeptForDirectory(deepest, parent.prefix(deepest.path().depth() + 1), path, deadline);
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
            }
        }
        return isLink ? PathFailures.named(refusal, path) : refusal;
    }

    /**
     * Finds out why {@code path} is no directory. Returns true if its shard has a marker for the name: the directory is
     * new, its name is reserved, or the directory is gone and its marker is not released yet, which a crash can keep
     * from happening. Returns false if the shard has to be asked again.
     */
    private boolean isKeptForDirectory(ResolvedDirectory parent, TatamiPath path, TatamiPath asked, Deadline deadline)
            throws TatamiException {
        Status status;
        try {
            status = lookup(parent, path.name(), LookupRequest.getDefaultInstance(), deadline);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + asked, e);
            }
            dropStale(e, parent.path(), deadline);
            return false;
        }
        switch (status.getKind()) {
            case FILE ->
                throw new TatamiException(
                        ErrorCode.NOT_A_DIRECTORY,
                        path + " (is not a directory)",
                        new Detail.Obstacle(path.toString()));
            case SYMLINK -> throw new UnresolvedLinkException(asked, path, status.getSymlinkTarget());
            case DIRECTORY, UNRECOGNIZED -> drop(path);
        }
        return true;
    }
}
