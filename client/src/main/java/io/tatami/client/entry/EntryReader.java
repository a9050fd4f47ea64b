package io.tatami.client.entry;

import com.google.protobuf.ByteString;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.Status;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What paths stand for. Safe for use by many threads. */
public final class EntryReader {
    private final MetadataCaller caller;
    private final PathResolver resolver;
    private final BlockServers servers;
    private final DirectoryReader directories;
    private final int pageEntries;

    /** @param pageEntries how many entries of each shard are asked for at once in listings */
    public EntryReader(MetadataCaller caller, PathResolver resolver, BlockServers servers, int pageEntries) {
        this.caller = caller;
        this.resolver = resolver;
        this.servers = servers;
        this.directories = new DirectoryReader(caller, resolver.links());
        this.pageEntries = pageEntries;
    }

    /** @see io.tatami.client.TatamiClient#status */
    public PathStatus status(TatamiPath path, boolean followLast) throws TatamiException {
        Deadline deadline = caller.deadline();
        PathStatus directory = statusIfCached(path, deadline);
        if (directory != null) {
            return directory;
        }
        Status status = lookup(path, LookupRequest.getDefaultInstance(), deadline);
        return switch (status.getKind()) {
            case FILE -> new PathStatus(path, status, List.of());
            case DIRECTORY -> directory(path, new DirectoryId(status.getId()), shown(status), deadline);
            case SYMLINK, UNRECOGNIZED -> {
                if (followLast) {
                    throw new UnresolvedLinkException(path, path, status.getSymlinkTarget());
                }
                yield new PathStatus(path, status, List.of());
            }
        };
    }

    /**
     * A file with the locations of its blocks, or its bytes where they are stored inline; READ permission is needed.
     *
     * @param touch whether this counts as an access
     * @throws TatamiException IS_A_DIRECTORY
     */
    public PathStatus file(TatamiPath path, boolean touch) throws TatamiException {
        return file(
                path, LookupRequest.newBuilder().setOpen(true).setTouch(touch).build());
    }

    /** The same, with what is known of the health of its blocks. */
    public PathStatus fileWithHealth(TatamiPath path) throws TatamiException {
        return file(
                path,
                LookupRequest.newBuilder().setOpen(true).setWithHealth(true).build());
    }

    private PathStatus file(TatamiPath path, LookupRequest request) throws TatamiException {
        if (path.isRoot()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: " + path);
        }
        Deadline deadline = caller.deadline();
        Status status = lookup(path, request, deadline);
        return switch (status.getKind()) {
            case FILE -> new PathStatus(path, status, servers.located(status, caller.deadline()));
            case SYMLINK -> throw new UnresolvedLinkException(path, path, status.getSymlinkTarget());
            case DIRECTORY, UNRECOGNIZED -> {
                // The name may be kept for a directory that is gone: then the tree says that there is nothing.
                PathStatus unused = directory(path, new DirectoryId(status.getId()), shown(status), deadline);
                throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: " + path);
            }
        };
    }

    /** A file as its home knows it, wherever its name is; READ permission is needed on it now. */
    public PathStatus file(FileId file, TatamiPath path) throws TatamiException {
        try {
            Status status = fromHome(file, ByteString.EMPTY, false, caller.deadline());
            return new PathStatus(path, status, servers.located(status, caller.deadline()));
        } catch (TatamiException e) {
            throw e.code() == ErrorCode.PERMISSION_DENIED ? PathFailures.named(e, path) : e;
        }
    }

    /** @see io.tatami.client.TatamiClient#list */
    public DirectoryListing list(TatamiPath path, boolean withLocations) throws TatamiException {
        return list(path, "", withLocations);
    }

    /** @see io.tatami.client.TatamiClient#listAfter */
    public DirectoryListing listAfter(TatamiPath path, String name) throws TatamiException {
        return list(path, name, false);
    }

    private DirectoryListing list(TatamiPath path, String after, boolean withLocations) throws TatamiException {
        Deadline deadline = caller.deadline();
        Backoff backoff = caller.backoff();
        while (true) {
            ListingPages pages = new ListingPages(this, path, after, withLocations);
            try {
                return listing(() -> next(pages, path), pages.next(), pages.isAtEnd());
            } catch (UnresolvedLinkException e) {
                throw e;
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.NOT_A_DIRECTORY || path.isRoot()) {
                    throw PathFailures.inDirectory(e, path);
                }
                PathStatus only = unlessDirectory(path, withLocations);
                if (only != null) {
                    return listing(List::of, List.of(only), true);
                }
                // What was a file is a directory by now, and is listed as one.
                if (deadline.isOver()) {
                    throw e;
                }
            }
            backoff.pause(deadline);
        }
    }

    private static List<PathStatus> next(ListingPages pages, TatamiPath directory) throws TatamiException {
        try {
            return pages.next();
        } catch (TatamiException e) {
            throw PathFailures.inDirectory(e, directory);
        }
    }

    /** What is at a path; null where that is a directory. */
    private @Nullable PathStatus unlessDirectory(TatamiPath path, boolean withLocations) throws TatamiException {
        try {
            PathStatus status = withLocations ? fileWithHealth(path) : status(path, true);
            return status.isDirectory() ? null : status;
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.IS_A_DIRECTORY) {
                throw e;
            }
            return null;
        }
    }

    /** @see io.tatami.client.TatamiClient#handle */
    public Handle handle(TatamiPath path) throws TatamiException {
        return resolver.inParent(path, caller.deadline(), ResolvedDirectory::handle);
    }

    /** @see io.tatami.client.TatamiClient#contentTotals(TatamiPath, Consumer) */
    public ContentTotals totals(TatamiPath path, Consumer<ContentTotals> soFar) throws TatamiException {
        PathStatus status = status(path, false);
        if (!status.isDirectory()) {
            return new ContentTotals(status.lengthBytes(), 1, 0, status.lengthBytes() * status.replication());
        }
        ContentSummaryRequest.Builder request =
                ContentSummaryRequest.newBuilder().setPath(path.toString());
        ContentSummaryReply reply;
        do {
            reply = caller.call(GroupId.NAMESPACE, MetaMethods.CONTENT_SUMMARY, request.build(), caller.deadline());
            request.setUnfinished(reply.getUnfinished());
            soFar.accept(totals(reply));
        } while (reply.getUnfinished() != 0);
        return totals(reply);
    }

    private static ContentTotals totals(ContentSummaryReply reply) {
        return new ContentTotals(reply.getLength(), reply.getFiles(), reply.getDirectories(), reply.getSpaceConsumed());
    }

    /** The deadline of an operation that begins now. */
    public Deadline deadline() {
        return caller.deadline();
    }

    public Backoff backoff() {
        return caller.backoff();
    }

    MetadataCaller caller() {
        return caller;
    }

    PathResolver resolver() {
        return resolver;
    }

    BlockServers servers() {
        return servers;
    }

    DirectoryReader directories() {
        return directories;
    }

    int pageEntries() {
        return pageEntries;
    }

    /**
     * A file whose name was moved has its content in another shard, its home, and when it is open only that knows its
     * length: asks the home where the shard of the name gave a right to.
     *
     * @param withHealth also what is known of the health of its blocks
     * @return null where the file is gone, so that by now the name is free or another's
     */
    @Nullable
    Status completed(Status status, boolean withHealth, Deadline deadline) throws TatamiException {
        if (status.getKind() != Status.Kind.FILE || status.getRight().isEmpty()) {
            return status;
        }
        Status home;
        try {
            home = fromHome(new FileId(status.getId()), status.getRight(), withHealth, deadline);
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            return null;
        }
        long modified = Math.max(
                status.getAttributes().getModifiedMillis(), home.getAttributes().getModifiedMillis());
        Status.Builder complete = status.toBuilder()
                .setLength(home.getLength())
                .setOpen(home.getOpen())
                .setIsInline(home.getIsInline())
                .setContentVersion(home.getContentVersion())
                .clearRight()
                .clearBlock()
                .addAllBlock(home.getBlockList());
        complete.getAttributesBuilder().setModifiedMillis(modified);
        if (home.hasInline()) {
            complete.setInline(home.getInline());
        }
        return complete.build();
    }

    private static DirectoryListing listing(DirectoryListing.Pages more, List<PathStatus> first, boolean isAll) {
        return new DirectoryListing(new DirectoryListing.Pages() {
            private boolean started;

            @Override
            public List<PathStatus> next() throws TatamiException {
                if (!started) {
                    started = true;
                    return first;
                }
                return isAll ? List.of() : more.next();
            }
        });
    }

    /** What the shard of a name says, and what that is with what the file's home says; null where the file is gone. */
    private record Found(Status named, @Nullable Status completed) {}

    private Status lookup(TatamiPath path, LookupRequest request, Deadline deadline) throws TatamiException {
        Backoff backoff = caller.backoff();
        Status before = null;
        while (true) {
            Found found = resolver.inParent(path, deadline, parent -> {
                Status named = resolver.lookup(parent, path.name(), request, deadline);
                return new Found(named, completed(named, request.getWithHealth(), deadline));
            });
            Status now = found.completed();
            if (now != null && (isSameContent(found.named(), now) || isSameContent(before, now) || deadline.isOver())) {
                return now;
            }
            if (deadline.isOver()) {
                throw new TatamiException(
                        ErrorCode.NOT_FOUND,
                        "File does not exist: " + path + "; it was replaced by another file during each attempt");
            }
            if (now == null || before != null) {
                backoff.pause(deadline);
            }
            before = now;
        }
    }

    /**
     * Whether a file's content did not become another between two answers, each a shard's or its home's, so that a name
     * that was read between them had this content. Where it did, the name may have become another's before that, and is
     * to be read once more.
     */
    static boolean isSameContent(@Nullable Status earlier, Status later) {
        return earlier != null
                && earlier.getId() == later.getId()
                && earlier.getOpen() == later.getOpen()
                && earlier.getContentVersion() == later.getContentVersion();
    }

    /** @param right of the shard of the name; empty to have the home ask for the permissions */
    private Status fromHome(FileId file, ByteString right, boolean withHealth, Deadline deadline)
            throws TatamiException {
        GetBlocksRequest request = GetBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setRight(right)
                .setWithHealth(withHealth)
                .build();
        return caller.call(file.home(), MetaMethods.GET_BLOCKS, request, deadline)
                .getStatus();
    }

    /** The status of the root, or of what was a directory when its handle was cached and still is one. */
    private @Nullable PathStatus statusIfCached(TatamiPath path, Deadline deadline) throws TatamiException {
        ResolvedDirectory known = resolver.cached(path);
        if (known == null && !path.isRoot()) {
            return null;
        }
        try {
            return known == null
                    ? directory(path, DirectoryId.ROOT, ReadSharesRequest.getDefaultInstance(), deadline)
                    : directory(path, known.id(), known.shown(), deadline);
        } catch (TatamiException e) {
            if (path.isRoot() || !PathFailures.isAbsence(e)) {
                throw e;
            }
            resolver.drop(path);
            return null;
        }
    }

    private PathStatus directory(TatamiPath path, DirectoryId id, ReadSharesRequest shown, Deadline deadline)
            throws TatamiException {
        Status status = directories.of(path.toString(), id, shown, deadline);
        return new PathStatus(path, status, List.of());
    }

    private static ReadSharesRequest shown(Status directory) {
        return ReadSharesRequest.newBuilder().setRight(directory.getRight()).build();
    }
}
