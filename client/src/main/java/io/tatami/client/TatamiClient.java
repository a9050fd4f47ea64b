package io.tatami.client;

import com.google.protobuf.ByteString;
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
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.LocalHost;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.meta.MetadataRouter;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.BulkDeleteFailure;
import io.tatami.client.model.ClientSettings;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.ReplicationProgress;
import io.tatami.client.model.SymlinkTarget;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.rpc.Connector;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * One user's access to one cluster. Safe for use by many threads; all methods may block, for at most the operation
 * timeout while the cluster cannot serve.
 *
 * <p>Failures are {@link TatamiException}s whose codes and messages are those of the metadata service. For every method
 * with a path: NOT_FOUND where it or a directory above it is not there, NOT_A_DIRECTORY where a name above it is a
 * file, PERMISSION_DENIED, and {@link UnresolvedLinkException} where the path leads through a symlink, or ends in one
 * and the method acts on what links lead to. Each change is done once and at once, whatever is sent twice underneath:
 * after a failure it was not done, except that UNAVAILABLE, DEADLINE_EXCEEDED and CANCELLED leave open whether it was.
 */
public final class TatamiClient implements AutoCloseable {
    private static final int LINKS_MAX = 32;
    private static final String NAME =
            "tatami-client-" + ProcessHandle.current().pid();

    private final Self self;
    private final MetadataCaller caller;
    private final EntryReader entries;
    private final EntryChanges changes;
    private final FileChanges fileChanges;
    private final BulkDeletion bulkDeletion;
    private final ClusterInspector inspector;
    private final BlockClient blocks;
    private final FileStreams streams;
    private final Runnable afterClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * A client of the cluster that answers at {@code authority}.
     *
     * @param authority {@code host:port} of any metadata server, several with commas between, or a name that the
     *     settings resolve; the port may be left out
     * @throws TatamiException INVALID_ARGUMENT for a bad authority or setting; UNAVAILABLE, naming the addresses, when
     *     no server answers in time
     */
    public static TatamiClient connect(String authority, UserIdentity user, Settings settings) throws TatamiException {
        return connect(ClientSpec.of(authority, user, settings));
    }

    /** @throws TatamiException UNAVAILABLE, naming the addresses, when no server answers in time */
    public static TatamiClient connect(ClientSpec spec) throws TatamiException {
        RpcClient connector =
                RpcClient.onSharedLoops(spec.connections(), Clock.SYSTEM, ClientIdentity.simple(NAME, spec.user()));
        Wiring wiring = new Wiring(connector, spec.servers(), Clock.SYSTEM, new Random());
        try {
            return open(wiring, spec.user(), spec.settings(), connector::close);
        } catch (TatamiException e) {
            connector.close();
            throw e;
        }
    }

    /**
     * Where a client's time, chance and network come from.
     *
     * @param servers metadata servers to ask first
     * @param random safe for use by many threads
     */
    record Wiring(Connector connector, List<InetSocketAddress> servers, Clock clock, RandomGenerator random) {}

    /** @param afterClose run once, at the end of {@link #close} */
    static TatamiClient open(Wiring wiring, UserIdentity user, ClientSettings settings, Runnable afterClose)
            throws TatamiException {
        MetadataRouter router = new MetadataRouter(wiring.connector(), wiring.servers());
        MetadataCaller.Limits limits =
                new MetadataCaller.Limits(NAME, settings.operationTimeout(), settings.attemptTimeout());
        MetadataCaller caller = new MetadataCaller(router, limits, wiring.clock(), wiring.random());
        caller.connect(Deadline.after(wiring.clock(), settings.connectTimeout()));
        return new TatamiClient(caller, wiring.connector(), new Self(user, settings), afterClose);
    }

    private record Self(UserIdentity user, ClientSettings settings) {}

    private TatamiClient(MetadataCaller caller, Connector connector, Self self, Runnable afterClose) {
        ClientSettings settings = self.settings();
        this.self = self;
        this.afterClose = afterClose;
        this.caller = caller;
        BlockServers servers = new BlockServers(caller.router(), new LocalHost(settings.host()));
        PathResolver resolver = new PathResolver(caller, settings.handlesMax());
        this.entries = new EntryReader(caller, resolver, servers, settings.listPageEntries());
        this.changes = new EntryChanges(caller, resolver, servers);
        this.fileChanges = new FileChanges(caller, resolver, servers);
        this.bulkDeletion = new BulkDeletion(caller, resolver, changes);
        this.inspector = new ClusterInspector(caller, entries);
        BlockClientSettings blockSettings = BlockClientSettings.DEFAULT
                .withReadAheadBytes(settings.readAheadBytes())
                .withSharedMemory(settings.sharesMemory())
                .withWindowBytes(settings.writeWindowBytes())
                .withTimeoutMillis(settings.blockTimeout().toMillis());
        this.blocks = new BlockClient(connector, blockSettings);
        this.streams = new FileStreams(new FileStreams.Metadata(caller, entries, servers), blocks, settings);
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
     * Does {@code operation} on {@code path}, and again on where symlinks lead, while they stay within the cluster
     * (have no scheme) and are at most 32.
     *
     * @throws TatamiException PATH_TOO_LONG after 32 links; what the operation throws, {@link UnresolvedLinkException}
     *     for a link with a scheme included
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
     * What a path stands for.
     *
     * @param followLast whether a symlink at the end raises {@link UnresolvedLinkException}; otherwise its own status
     *     is told
     */
    public PathStatus status(TatamiPath path, boolean followLast) throws TatamiException {
        return entries.status(path, followLast);
    }

    /**
     * The entries of a directory; of a file, only the file itself. Everything that can be refused is refused here,
     * before the first entry.
     *
     * @param withLocations whether files come with {@link PathStatus#blocks}
     */
    public DirectoryListing list(TatamiPath path, boolean withLocations) throws TatamiException {
        return entries.list(path, withLocations);
    }

    /**
     * Makes a directory; nothing is changed unless all of it can be.
     *
     * @param createParents whether missing parents are made too, in the same step
     * @return false where the directory was there already
     * @throws TatamiException ALREADY_EXISTS where a file has the name, NOT_A_DIRECTORY where one is on the way
     */
    public boolean mkdirs(TatamiPath path, CreateModes modes, boolean createParents) throws TatamiException {
        return changes.mkdirs(path, modes, createParents);
    }

    /**
     * Creates a file and opens it for writing.
     *
     * @throws TatamiException ALREADY_EXISTS, IS_A_DIRECTORY, LEASE_HELD where somebody writes the file to be replaced
     */
    public FileWriter create(TatamiPath path, CreateSpec spec) throws TatamiException {
        return streams.writer(changes.create(path, spec.completedBy(settings()), streams.expectBlocks()));
    }

    /**
     * Opens an existing file for writing at its end.
     *
     * @param newBlock begin a new block even where the last one is not full
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
     * Opens a file by its id, wherever it was moved to.
     *
     * @param path under which its status is told
     */
    public FileReader open(FileId file, TatamiPath path, ReadPolicy policy) throws TatamiException {
        return streams.reader(entries.file(file, path), policy);
    }

    /**
     * Tells block servers what will be read, so that those with a cache tier stage it. Returns once they know.
     *
     * @throws TatamiException what {@link #open} of the files throws; UNSUPPORTED where no server that holds them has a
     *     cache tier
     */
    public void prefetch(AccessPlan plan) throws TatamiException {
        streams.planner().plan(plan);
    }

    /**
     * Which servers have at least half of a block on their cache tiers at this moment. Blocks that none has are left
     * out; servers that do not answer within a second count as having nothing.
     */
    public Map<BlockId, Set<ServerId>> stagedCopies(List<LocatedBlock> blocks) throws TatamiException {
        return streams.stagedCopies().of(blocks);
    }

    /**
     * The entries of a directory with {@link PathStatus#blocks}, as {@link #list}, and with what {@link #stagedCopies}
     * tells; servers that do not answer delay all of the listing by a second.
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
     * @throws TatamiException ALREADY_EXISTS, also for a symlink to {@code destination}, whether anything is there or
     *     not; with {@code overwrite} IS_A_DIRECTORY, NOT_A_DIRECTORY and NOT_EMPTY; INVALID_ARGUMENT for the root and
     *     for a directory into itself
     */
    public void rename(TatamiPath source, TatamiPath destination, boolean overwrite) throws TatamiException {
        changes.rename(source, destination, overwrite);
    }

    /**
     * Deletes a file, symlink or directory.
     *
     * @param recursive whether a directory is deleted with all below it
     * @return false where the path is not there
     * @throws TatamiException NOT_EMPTY; INVALID_ARGUMENT for the root
     */
    public boolean delete(TatamiPath path, boolean recursive) throws TatamiException {
        return changes.delete(path, recursive);
    }

    /**
     * Deletes files and empty directories, each for itself; a path that is not there is no failure. Files take one
     * round trip to each shard concerned.
     *
     * @return what could not be deleted
     */
    public List<BulkDeleteFailure> bulkDelete(List<TatamiPath> paths) throws TatamiException {
        return bulkDeletion.delete(paths);
    }

    /** Changes what {@code change} has, of a file or directory. */
    public void setAttributes(TatamiPath path, AttributeChange change) throws TatamiException {
        changes.setAttributes(path, change);
    }

    /**
     * Cuts a closed file.
     *
     * @return false where the last block is still being cut, until which the file cannot be written
     * @throws TatamiException INVALID_ARGUMENT for a length beyond the file's, IS_A_DIRECTORY, LEASE_HELD
     */
    public boolean truncate(TatamiPath path, long lengthBytes) throws TatamiException {
        return fileChanges.truncate(path, lengthBytes);
    }

    /**
     * Moves the blocks of {@code sources} to the end of {@code target}, and the sources are gone.
     *
     * @throws TatamiException INVALID_ARGUMENT where a source lies in another directory, is the target, or comes twice
     */
    public void concat(TatamiPath target, List<TatamiPath> sources) throws TatamiException {
        fileChanges.concat(target, sources);
    }

    /**
     * Makes {@code link} stand for {@code target}.
     *
     * @param target kept as it is: relative, absolute or with a scheme
     * @param createParents as in {@link CreateSpec}
     */
    public void createSymlink(TatamiPath link, String target, boolean createParents) throws TatamiException {
        changes.createSymlink(link, target, createParents);
    }

    /**
     * What is at and below a path; a link at its end counts as one file and is not followed. Counted in many requests:
     * what changes meanwhile may be in the sums or not.
     */
    public ContentTotals contentTotals(TatamiPath path) throws TatamiException {
        return entries.totals(path);
    }

    /**
     * Takes the write lease from whoever has it and closes the file.
     *
     * @return whether it is closed now; else recovery goes on in the background
     */
    public boolean recoverLease(TatamiPath path) throws TatamiException {
        return fileChanges.recoverLease(path);
    }

    /** Whether nobody writes the file. */
    public boolean isClosed(TatamiPath path) throws TatamiException {
        PathStatus status = entries.status(path, true);
        if (status.isDirectory()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: " + path);
        }
        return !status.isOpen();
    }

    /** Does {@code action} and tells whether the cluster is in safe mode then. */
    public boolean safeMode(SafeModeRequest.Action action) throws TatamiException {
        return inspector.safeMode(action);
    }

    /**
     * Has each group of the metadata be held by so many servers from now on, which the cluster then brings about by
     * itself, one group after the other. Only for the superuser.
     *
     * @param replicas odd, and no fewer than now; 0 to ask how far it is
     * @throws TatamiException INVALID_ARGUMENT where there are too few metadata servers, a shard has none, or the
     *     number is wrong
     */
    public ReplicationProgress replicateMetadata(int replicas) throws TatamiException {
        return inspector.replicateMetadata(replicas);
    }

    /** The blocks of a file that have bytes in a range, in order. */
    public List<LocatedBlock> blockLocations(TatamiPath path, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return entries.file(path, false).blocks().stream()
                .filter(block -> block.offsetBytes() - lengthBytes < offsetBytes
                        && block.offsetBytes() + block.lengthBytes() > offsetBytes)
                .toList();
    }

    /**
     * The checksum of a file's first bytes, from the checksums its servers store.
     *
     * @param lengthBytesMax where the file is longer, only so much of it counts
     */
    public FileChecksum checksum(TatamiPath path, long lengthBytesMax) throws TatamiException {
        return streams.checksum(entries.file(path, false), lengthBytesMax);
    }

    /** Never fails because some group does not answer: its state tells so. */
    public ClusterStatus clusterStatus() throws TatamiException {
        return inspector.status();
    }

    /**
     * How a block server, its volumes and its cache tier are, as it tells itself.
     *
     * @param timeoutMillis how long the answer is worth waiting for
     */
    public BlockServerStatusReply blockServerStatus(BlockServerInfo server, long timeoutMillis) throws TatamiException {
        return blocks.status(BlockTarget.of(server), timeoutMillis);
    }

    /** Begins or ends scrubs of the volumes of a block server, which go on in the background. */
    public BlockServerStatusReply scrub(BlockServerInfo server, ScrubRequest.Action action) throws TatamiException {
        return blocks.scrub(BlockTarget.of(server), action);
    }

    /**
     * Which metadata servers there are, what they hold, and what moves between them, as the namespace's leader knows.
     */
    public ListMetadataServersReply metadataServers() throws TatamiException {
        return inspector.metadataServers();
    }

    /**
     * Has a metadata server take its share of the replicas, or leave the cluster; what moves does so in the background,
     * and {@link #metadataServers} tells how far it is. Only for the superuser. May be done again.
     *
     * @throws TatamiException NOT_FOUND for an id that is not listed; INVALID_ARGUMENT where too few servers would
     *     remain, or there is nothing to cancel; UNSUPPORTED where groups are not replicated
     */
    public MetadataServerInfo changeMetadataServer(ByteString server, ChangeMetadataServerRequest.Action action)
            throws TatamiException {
        return inspector.changeMetadataServer(server, action);
    }

    /** Checks every entry and block record at and below a path; only for the superuser. */
    public FsckReport fsck(TatamiPath path) throws TatamiException {
        return inspector.fsck(path);
    }

    /** Ends the session; files still open are given up as by {@link FileWriter#abort}. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            streams.close();
            caller.close();
            afterClose.run();
        }
    }
}
