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
 * Turns paths into handles, from the cache or by one call for any depth, and does requests with them: where a handle
 * turns out to be older than a change of the tree, what was cached at and below it is dropped and the request made
 * anew. Safe for use by many threads.
 */
public final class PathResolver {
    private final MetadataCaller caller;
    private final HandleCache cache;
    private final KnownLinks links = new KnownLinks();

    /** A request made with a directory's handle; may be made several times. */
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

    /** What is cached of a path, which may be out of date; null for nothing. */
    @Nullable
    ResolvedDirectory cached(TatamiPath path) {
        return cache.get(path);
    }

    /** Forgets what is cached at and below a path, for instance because it was just renamed. */
    void drop(TatamiPath path) {
        cache.drop(path);
    }

    /**
     * Resolves {@code directory} and makes a request in it.
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
     * Makes a request in the directory of {@code path}, about its last name. Failures tell the path, which shards do
     * not know; a link that the name stands for becomes an {@link UnresolvedLinkException}.
     */
    <T> T inParent(TatamiPath path, Deadline deadline, InDirectory<T> request) throws TatamiException {
        try {
            return in(path.parent(), path, deadline, request);
        } catch (TatamiException e) {
            throw PathFailures.named(e, path);
        }
    }

    /** The status of a name as its shard knows it. @param request without handle and name */
    Status lookup(ResolvedDirectory in, String name, LookupRequest request, Deadline deadline) throws TatamiException {
        LookupRequest full =
                request.toBuilder().setHandle(in.signed()).setName(name).build();
        LookupReply reply = caller.call(in.shardOf(name, caller.shards()), MetaMethods.LOOKUP, full, deadline);
        return reply.getStatus();
    }

    /** Throws {@code failure} unless it is a stale handle for which there is time left; then forgets the handle. */
    void dropStale(TatamiException failure, TatamiPath directory, Deadline deadline) throws TatamiException {
        if (failure.code() != ErrorCode.STALE_HANDLE || deadline.isOver()) {
            throw failure;
        }
        cache.drop(directory);
    }

    /** For a second handle of a request, of which it is not told which one was stale. */
    void forgetIfStale(TatamiException failure, TatamiPath directory) {
        if (failure.code() == ErrorCode.STALE_HANDLE) {
            cache.drop(directory);
        }
    }

    /**
     * The handle of a directory.
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

    /** The deepest directory on {@code path}, which may be the path itself; asked of the tree each time. */
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
     * After the namespace group refused a whole path, which knows nothing of files and symlinks: throws
     * {@link UnresolvedLinkException} where a link above the last name is the reason, NOT_A_DIRECTORY where a file is,
     * and else the refusal. That somebody met a file stays true where that has gone meanwhile.
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
     * Tells why {@code path} is no directory. Where its shard says that the name is kept for one, true: it was made a
     * moment ago, or reserved, or a crash has left the mark of one that is gone; false where the shard has to be asked
     * anew.
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
