package io.tatami.client;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.entry.BulkDeletion;
import io.tatami.client.entry.EntryChanges;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.entry.FileChanges;
import io.tatami.client.entry.PathResolver;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileStreams;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.file.StagedListing;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.CallerContexts;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.LeaseThreads;
import io.tatami.client.meta.LocalHost;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.meta.MetadataRouter;
import io.tatami.client.meta.ReadOrder;
import io.tatami.client.meta.SuspectServers;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.BulkDeleteFailure;
import io.tatami.client.model.ClientSettings;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.SymlinkTarget;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.Handle;
import io.tatami.rpc.Connector;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One user's access to one cluster. Safe for use by many threads. All methods may block; while the cluster cannot
 * serve, for the operation timeout ({@code tatami.client.operation.timeout}, 120 s) at most.
 *
 * <p>Failures are {@link TatamiException}s with the code and message of the metadata service. Every method with a path
 * throws
 *
 * <ul>
 *   <li>NOT_FOUND if the path, or a directory above it, does not exist;
 *   <li>NOT_A_DIRECTORY if a name above the path is a file;
 *   <li>PERMISSION_DENIED;
 *   <li>{@link UnresolvedLinkException} if the path leads through a symlink, or ends in one and the method acts on the
 *       target.
 * </ul>
 *
 * <p>Each change is atomic, and is executed once however often the request is sent. After a failure the change was not
 * executed, with three exceptions: after UNAVAILABLE, DEADLINE_EXCEEDED and CANCELLED the outcome is unknown.
 */
public final class TatamiClient implements AutoCloseable {
    private static final int LINKS_MAX = 32;

    /** A block server that does not answer for so long is not read while there is another copy. */
    private static final long PROBE_MILLIS_MAX = 1_000;

    private static final String NAME =
            "tatami-client-" + ProcessHandle.current().pid();

    private final Self self;
    private final MetadataCaller caller;
    private final EntryReader entries;
    private final EntryChanges changes;
    private final FileChanges fileChanges;
    private final BulkDeletion bulkDeletion;
    private final ClusterAdmin cluster;
    private final FileStreams streams;
    private final Runnable afterClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Connects to the cluster at {@code authority}.
     *
     * @param authority {@code host:port} of any metadata server, several with commas between, or a name that the
     *     settings resolve; the port may be left out
     * @throws TatamiException INVALID_ARGUMENT for a bad authority or setting; UNAVAILABLE, with the addresses, if no
     *     server answers within {@code tatami.client.connect.timeout}
     */
    public static TatamiClient connect(String authority, UserIdentity user, Settings settings) throws TatamiException {
        return connect(ClientSpec.of(authority, user, settings));
    }

    /** @throws TatamiException UNAVAILABLE, naming the addresses, when no server answers in time */
    public static TatamiClient connect(ClientSpec spec) throws TatamiException {
        RpcClient connector =
                RpcClient.onSharedLoops(spec.connections(), Clock.SYSTEM, ClientIdentity.simple(NAME, spec.user()));
        Wiring wiring = new Wiring(
                connector,
                spec.servers(),
                Clock.SYSTEM,
                new Random(),
                LeaseThreads.SHARED,
                new CallerContexts(spec.contexts()));
        try {
            return open(wiring, spec.user(), spec.settings(), connector::close);
        } catch (TatamiException e) {
            connector.close();
            throw e;
        }
    }

    /** The network, the metadata servers to ask first, the clock, and a random source that many threads may use. */
    record Wiring(
            Connector connector,
            List<InetSocketAddress> servers,
            Clock clock,
            RandomGenerator random,
            LeaseThreads leaseThreads,
            CallerContexts contexts) {}

    /** @param afterClose run once, at the end of {@link #close} */
    static TatamiClient open(Wiring wiring, UserIdentity user, ClientSettings settings, Runnable afterClose)
            throws TatamiException {
        MetadataRouter router = new MetadataRouter(wiring.connector(), wiring.servers());
        MetadataCaller.Limits limits = new MetadataCaller.Limits(
                NAME, settings.operationTimeout(), settings.attemptTimeout(), settings.traced());
        MetadataCaller caller = new MetadataCaller(router, limits, wiring.clock(), wiring.random(), wiring.contexts());
        caller.connect(Deadline.after(wiring.clock(), settings.connectTimeout()));
        return new TatamiClient(caller, wiring, new Self(user, settings), afterClose);
    }

    private record Self(UserIdentity user, ClientSettings settings) {}

    private TatamiClient(MetadataCaller caller, Wiring wiring, Self self, Runnable afterClose) {
        ClientSettings settings = self.settings();
        this.self = self;
        this.afterClose = afterClose;
        this.caller = caller;
        BlockServers servers = new BlockServers(caller.router(), new LocalHost(settings.host(), settings.rack()));
        PathResolver resolver = new PathResolver(caller, settings.handlesMax());
        this.entries = new EntryReader(caller, resolver, servers, settings.listPageEntries());
        this.changes = new EntryChanges(caller, resolver, servers);
        this.fileChanges = new FileChanges(caller, resolver, servers);
        this.bulkDeletion = new BulkDeletion(caller, resolver, changes);
        BlockClientSettings blockSettings = BlockClientSettings.DEFAULT
                .withReadAheadBytes(settings.readAheadBytes())
                .withSharedMemory(settings.sharesMemory())
                .withWindowBytes(settings.writeWindowBytes())
                .withTraces(settings.traced())
                .withTimeoutMillis(settings.blockTimeout().toMillis());
        BlockClient blocks = new BlockClient(wiring.connector(), blockSettings, wiring.clock());
        this.cluster = new ClusterAdmin(caller, entries, blocks);
        SuspectServers suspects = new SuspectServers(wiring.clock(), server -> probe(servers, blocks, server));
        ReadOrder order = new ReadOrder(servers, suspects, wiring.random().nextLong());
        FileStreams.Metadata metadata =
                new FileStreams.Metadata(caller, entries, servers, order, wiring.leaseThreads());
        this.streams = new FileStreams(metadata, blocks, settings);
    }

    /** Asks for a block that no server has: any answer shows that the server answers. */
    private static CompletableFuture<?> probe(BlockServers servers, BlockClient blocks, ServerId server) {
        BlockTarget target = servers.knownTarget(server);
        return target == null
                ? CompletableFuture.failedFuture(
                        new TatamiException(ErrorCode.UNAVAILABLE, "the cluster map has no block server " + server))
                : blocks.askBlockInfo(target, BlockId.NONE, PROBE_MILLIS_MAX);
    }

    public UserIdentity user() {
        return self.user();
    }

    public ClientSettings settings() {
        return self.settings();
    }

    public UUID clusterId() {
        return UuidBytes.get(caller.router().map().getClusterId().asReadOnlyByteBuffer());
    }

    /** An operation on a path, for {@link #following}. */
    @FunctionalInterface
    public interface PathOperation<T> {
        T on(TatamiPath path) throws TatamiException;
    }

    /**
     * Runs {@code operation} on {@code path}. If it meets a symlink, runs it again on the target, for at most 32 links
     * and as long as the targets stay within the cluster (have no scheme).
     *
     * @throws TatamiException PATH_TOO_LONG after 32 links; otherwise as {@code operation},
     *     {@link UnresolvedLinkException} for a link with a scheme included
     */
    public <T> T following(TatamiPath path, PathOperation<T> operation) throws TatamiException {
        TatamiPath at = path;
        for (int links = 0; ; links++) {
            try {
                return operation.on(at);
            } catch (UnresolvedLinkException e) {
                if (links == LINKS_MAX) {
                    throw new TatamiException(
                            ErrorCode.PATH_TOO_LONG, "more than " + LINKS_MAX + " symlinks on the way from " + path, e);
                }
                at = SymlinkTarget.resolve(e);
            }
        }
    }

    /**
     * The status of a path.
     *
     * @param followLast whether a symlink at the end raises {@link UnresolvedLinkException}; otherwise the status of
     *     the symlink itself is returned
     */
    public PathStatus status(TatamiPath path, boolean followLast) throws TatamiException {
        return entries.status(path, followLast);
    }

    /**
     * Lists a directory, or a single file. Every refusal is thrown by this call, before the first entry is returned.
     *
     * @param withLocations whether files come with {@link PathStatus#blocks}
     */
    public DirectoryListing list(TatamiPath path, boolean withLocations) throws TatamiException {
        return entries.list(path, withLocations);
    }

    /**
     * The same, from the entry behind a name on, for those who show a page at a time.
     *
     * @param name need not be in the directory
     */
    public DirectoryListing listAfter(TatamiPath path, String name) throws TatamiException {
        return entries.listAfter(path, name);
    }

    /**
     * Makes a directory. If a part of the path cannot be made, nothing is changed.
     *
     * @param createParents whether missing parents are made too, in the same step
     * @return false if the directory existed already
     * @throws TatamiException ALREADY_EXISTS if a file has the name, NOT_A_DIRECTORY if a file is on the way
     */
    public boolean mkdirs(TatamiPath path, CreateModes modes, boolean createParents) throws TatamiException {
        return changes.mkdirs(path, modes, createParents);
    }

    /**
     * Creates a file and opens it for writing, in one step. Other clients see the file when this returns.
     *
     * @throws TatamiException ALREADY_EXISTS, IS_A_DIRECTORY, LEASE_HELD if another session writes the file to be
     *     replaced
     */
    public FileWriter create(TatamiPath path, CreateSpec spec) throws TatamiException {
        return streams.writer(changes.create(path, spec.completedBy(settings()), streams.expectBlocks()));
    }

    /**
     * Opens an existing file for writing at its end.
     *
     * @param newBlock whether a new block is begun even if the last one is not full
     * @throws TatamiException IS_A_DIRECTORY, LEASE_HELD
     */
    public FileWriter append(TatamiPath path, boolean newBlock) throws TatamiException {
        return streams.writer(fileChanges.append(path, newBlock));
    }

    /** @throws TatamiException IS_A_DIRECTORY */
    public FileReader open(TatamiPath path, ReadPolicy policy) throws TatamiException {
        return streams.reader(entries.file(path, true), policy);
    }

    /**
     * Opens a file by its id, under whatever name it has now.
     *
     * @param path the path that the reader's status reports
     */
    public FileReader open(FileId file, TatamiPath path, ReadPolicy policy) throws TatamiException {
        return streams.reader(entries.file(file, path), policy);
    }

    /**
     * Announces reads to the block servers, so that those with a cache tier stage the bytes. Returns when the servers
     * have the plan. One server stages a block, chosen so that the tiers fill evenly.
     *
     * @return for each read of the plan the servers that stage it; none where those that hold it have no tier
     * @throws TatamiException as {@link #open} of the files; UNSUPPORTED if no server that holds them has a cache tier
     */
    public List<Set<ServerId>> prefetch(AccessPlan plan) throws TatamiException {
        return streams.planner().plan(plan);
    }

    /**
     * The servers that have at least half of a block on their cache tiers now. A block without such a server is not in
     * the result. A server that does not answer within a second counts as having nothing.
     */
    public Map<BlockId, Set<ServerId>> stagedCopies(List<LocatedBlock> blocks) throws TatamiException {
        return streams.stagedCopies().of(blocks);
    }

    /**
     * Lists a directory as {@link #list} with {@link PathStatus#blocks}, and adds the result of {@link #stagedCopies}.
     * Servers that do not answer delay the whole listing by a second.
     */
    public StagedListing listWithCopies(TatamiPath path) throws TatamiException {
        return new StagedListing(entries.list(path, true), streams.stagedCopies());
    }

    /**
     * How far the servers are that know a plan and answer; whichever client made it.
     *
     * @throws TatamiException NOT_FOUND where none knows it: it was cancelled or forgotten, or the servers were started
     *     anew; where none that may know it answers, what that one failed with
     */
    public AccessPlan.Progress planProgress(UUID plan) throws TatamiException {
        return streams.planner().progress(plan);
    }

    /**
     * Has the servers give a plan up, and what they staged for it that was not read. Nothing happens where none knows
     * it.
     *
     * @throws TatamiException where a server did not answer, after all were told; what it has is forgotten in time
     */
    public void cancelPlan(UUID plan) throws TatamiException {
        streams.planner().cancel(plan);
    }

    /**
     * Renames a file, directory or symlink to exactly {@code destination}, in one step.
     *
     * @param overwrite whether a file or an empty directory at the destination is replaced by one of its kind
     * @throws TatamiException ALREADY_EXISTS, also for a symlink to {@code destination}, whether or not its target
     *     exists; with {@code overwrite} IS_A_DIRECTORY, NOT_A_DIRECTORY and NOT_EMPTY; INVALID_ARGUMENT for the root,
     *     and for a directory into itself
     */
    public void rename(TatamiPath source, TatamiPath destination, boolean overwrite) throws TatamiException {
        changes.rename(source, destination, overwrite);
    }

    /**
     * Deletes a file, symlink or directory.
     *
     * @param recursive whether a directory is deleted with everything below it
     * @return false if the path does not exist
     * @throws TatamiException NOT_EMPTY; INVALID_ARGUMENT for the root
     */
    public boolean delete(TatamiPath path, boolean recursive) throws TatamiException {
        return changes.delete(path, recursive);
    }

    /**
     * Deletes files and empty directories. Each path succeeds or fails by itself; a path that does not exist is no
     * failure. The files of one shard take one round trip.
     *
     * @return the paths that could not be deleted
     */
    public List<BulkDeleteFailure> bulkDelete(List<TatamiPath> paths) throws TatamiException {
        return bulkDeletion.delete(paths);
    }

    /** Changes those attributes of a file or directory that {@code change} contains. */
    public void setAttributes(TatamiPath path, AttributeChange change) throws TatamiException {
        changes.setAttributes(path, change);
    }

    /**
     * Cuts a closed file.
     *
     * @return false if the last block is still being cut; until then the file cannot be written
     * @throws TatamiException INVALID_ARGUMENT for a length beyond the file's, IS_A_DIRECTORY, LEASE_HELD
     */
    public boolean truncate(TatamiPath path, long lengthBytes) throws TatamiException {
        return fileChanges.truncate(path, lengthBytes);
    }

    /**
     * Moves the blocks of {@code sources} to the end of {@code target} and removes the sources, in one step.
     *
     * @throws TatamiException INVALID_ARGUMENT if a source is in another directory, is the target, or is given twice
     */
    public void concat(TatamiPath target, List<TatamiPath> sources) throws TatamiException {
        fileChanges.concat(target, sources);
    }

    /**
     * Makes the symlink {@code link} with the given target.
     *
     * @param target kept as it is: relative, absolute or with a scheme
     * @param createParents as in {@link CreateSpec}
     */
    public void createSymlink(TatamiPath link, String target, boolean createParents) throws TatamiException {
        changes.createSymlink(link, target, createParents);
    }

    /**
     * Sums over everything at and below a path. A symlink at the end counts as one file and is not followed. The sum
     * takes many requests: a change made meanwhile may or may not be included.
     */
    public ContentTotals contentTotals(TatamiPath path) throws TatamiException {
        return contentTotals(path, soFar -> {});
    }

    /**
     * The same.
     *
     * @param soFar receives the totals that were counted so far, after each request
     */
    public ContentTotals contentTotals(TatamiPath path, Consumer<ContentTotals> soFar) throws TatamiException {
        return entries.totals(path, soFar);
    }

    /**
     * What the namespace group signed for this client of the directory that a path is in, and each request there shows.
     * It may have been asked for earlier.
     *
     * @param path any but the root
     */
    public Handle handle(TatamiPath path) throws TatamiException {
        return entries.handle(path);
    }

    /**
     * Takes the write lease from its holder and closes the file.
     *
     * @return whether the file is closed now; otherwise recovery goes on in the background
     */
    public boolean recoverLease(TatamiPath path) throws TatamiException {
        return fileChanges.recoverLease(path);
    }

    /** Whether the file has no writer. */
    public boolean isClosed(TatamiPath path) throws TatamiException {
        PathStatus status = entries.status(path, true);
        if (status.isDirectory()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: " + path);
        }
        return !status.isOpen();
    }

    /** The blocks of a file that have bytes in a range, in order, with what is known of their health. */
    public List<LocatedBlock> blockLocations(TatamiPath path, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return entries.fileWithHealth(path).blocks().stream()
                .filter(block -> block.offsetBytes() - lengthBytes < offsetBytes
                        && block.offsetBytes() + block.lengthBytes() > offsetBytes)
                .toList();
    }

    /**
     * The checksum of a file's first bytes, composed from the checksums that its block servers store.
     *
     * @param lengthBytesMax at most this many bytes are covered
     */
    public FileChecksum checksum(TatamiPath path, long lengthBytesMax) throws TatamiException {
        return streams.checksum(entries.file(path, false), lengthBytesMax);
    }

    /** The commands of the cluster's operator. */
    public ClusterAdmin cluster() {
        return cluster;
    }

    /** Ends the session. Files that are still open are given up, as by {@link FileWriter#abort}. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            streams.close();
            caller.close();
            afterClose.run();
        }
    }
}
