package io.tatami.meta.log.raft;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.flush.TreeFlush;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.log.raft.snapshot.PacedSnapshots;
import io.tatami.meta.log.raft.snapshot.SnapshotPace;
import io.tatami.meta.log.raft.transport.KeptVote;
import io.tatami.meta.log.raft.transport.RatisGroups;
import io.tatami.meta.log.raft.transport.RatisTransport;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.RaftGroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.util.ExitUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's side of all groups that are replicated: one Raft server on one port, with a log for each group. Safe
 * for use by any thread.
 */
public final class RaftHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftHost.class);
    /** Ratis begins with all groups it finds in its directory, without their founders; here it finds none. */
    private static final String NO_GROUPS = "none";

    private final UUID cluster;
    private final Member self;
    private final Path directory;
    private final RaftSettings settings;
    private final RaftRecords records;
    private final TreeFlush flush;
    private final ClientId client = ClientId.randomId();
    private final Map<RaftGroupId, RatisReplica> replicas = new ConcurrentHashMap<>();
    private final RaftServer server;
    private final RatisCalls calls;
    private final ExecutorService executor = Executors.newCachedThreadPool(Threads.daemons("raft-calls"));

    private RaftHost(
            UUID cluster,
            Member self,
            String bindHost,
            Path directory,
            RaftSettings settings,
            RaftRecords records,
            TreeFlush flush)
            throws IOException {
        this.cluster = cluster;
        this.self = self;
        this.directory = directory;
        this.settings = settings;
        this.records = records;
        this.flush = flush;
        RaftProperties properties =
                RatisProperties.of(settings, bindHost, self.address().getPort());
        RatisProperties.setDirectory(properties, directory.resolve(NO_GROUPS));
        Parameters parameters = new Parameters();
        AddressedRequests addressed = new AddressedRequests(RatisNames.peer(self.server()));
        SnapshotPace pace = new SnapshotPace(settings.receiveBytesPerSecond(), Clock.SYSTEM);
        PacedSnapshots paced = new PacedSnapshots(pace::nanosAfter);
        GrpcConfigKeys.Server.setServicesCustomizer(
                parameters, (builder, services) -> builder.intercept(paced).intercept(addressed));
        this.server = RaftServer.newBuilder()
                .setServerId(RatisNames.peer(self.server()))
                .setProperties(properties)
                .setParameters(parameters)
                .setStateMachineRegistry(this::machine)
                .build();
        RatisProperties.setDirectory(server.getProperties(), directory);
        this.calls = new RatisCalls(server, client, executor);
    }

    /**
     * Takes part from here on, with no group yet.
     *
     * @param self with the port to listen on, not 0
     * @param bindHost the address to listen on
     * @param directory where the logs are; made where it is absent. It belongs to this server for life
     * @throws TatamiException WRONG_CLUSTER or CORRUPT where the directory is another server's; IO_ERROR where it
     *     cannot be used or the port is taken
     */
    public static RaftHost open(UUID cluster, Member self, String bindHost, Path directory, RaftSettings settings)
            throws TatamiException {
        TreeFlush flush;
        try {
            Files.createDirectories(directory);
            flush = TreeFlush.open(settings.snapshotFlush(), directory);
        } catch (IOException e) {
            throw cannotOpen(self, bindHost, directory, e);
        }
        return open(cluster, self, bindHost, directory, settings, flush);
    }

    /** @param flush for snapshots that come; closed with the host, and where this fails */
    public static RaftHost open(
            UUID cluster, Member self, String bindHost, Path directory, RaftSettings settings, TreeFlush flush)
            throws TatamiException {
        try {
            Files.createDirectories(directory);
            RaftRecords records = RaftRecords.open(directory, cluster, self.server());
            // Else a port that is taken would end the process.
            ExitUtils.disableSystemExit();
            RaftHost host = new RaftHost(cluster, self, bindHost, directory, settings, records, flush);
            try {
                host.server.start();
            } catch (IOException | RuntimeException e) {
                host.close();
                throw e;
            }
            return host;
        } catch (TatamiException e) {
            flush.close();
            throw e;
        } catch (IOException | RuntimeException e) {
            flush.close();
            throw cannotOpen(self, bindHost, directory, e);
        }
    }

    private static TatamiException cannotOpen(Member self, String bindHost, Path directory, Exception e) {
        return new TatamiException(
                ErrorCode.IO_ERROR,
                "cannot start the replicated groups with the logs in " + directory + " at " + bindHost + ":"
                        + self.address().getPort() + ": " + Causes.inWords(e),
                e);
    }

    private StateMachine machine(RaftGroupId group) {
        RatisReplica replica = replicas.get(group);
        if (replica == null) {
            throw new IllegalStateException("Raft group " + group + " was not opened");
        }
        return replica.machine();
    }

    /**
     * Opens a replica of a group; the listener may hear of it before this returns.
     *
     * @param store the directory of its records, whose parent exists; what is there is opened, and is the replica's
     *     until it is closed. Records of a group that was not replicated become those of its first replica where this
     *     server is the only founder, and are sealed: nobody changes them without the log from then on
     * @param founders the members of a new group, the same at each of them; empty for a replica that the leader adds
     *     later. Without effect where the replica was opened before
     * @throws TatamiException CORRUPT where what the replica had promised to keep is gone or damaged
     */
    public RaftReplica open(
            GroupId group, Path store, StoreMemory memory, List<Member> founders, RaftReplica.Listener listener)
            throws TatamiException {
        boolean isNew = requireLog(group);
        return open(group, new ReplicaStore(store, memory), founders, isNew, listener);
    }

    /**
     * As {@link #open(GroupId, Path, StoreMemory, List, RaftReplica.Listener)}.
     *
     * @param opened the store in the directory {@code store}; the replica's from here on, and closed where this fails
     */
    public RaftReplica open(
            GroupId group,
            Path store,
            GroupStore opened,
            StoreMemory memory,
            List<Member> founders,
            RaftReplica.Listener listener)
            throws TatamiException {
        ReplicaStore replica = new ReplicaStore(store, opened, memory);
        boolean isNew;
        try {
            isNew = requireLog(group);
        } catch (TatamiException e) {
            replica.close();
            throw e;
        }
        return open(group, replica, founders, isNew, listener);
    }

    private RaftReplica open(
            GroupId group, ReplicaStore opened, List<Member> founders, boolean isNew, RaftReplica.Listener listener)
            throws TatamiException {
        try {
            Optional<RaftGroupRecord> known = records.find(group);
            if (known.isEmpty()) {
                requireBeginning(group, opened.get().progress(), founders);
                records.begin(group, founders);
                CrashPoint.hit("raft.open.begun");
            }
            if (!opened.get().progress().getReplicated()) {
                opened.get().seal();
                CrashPoint.hit("raft.open.sealed");
            }
            return begin(group, opened, known.map(RaftRecords::founders).orElse(founders), isNew, listener);
        } catch (TatamiException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Whether the log of a group was made here. */
    public boolean wasMade(GroupId group) {
        return records.find(group).map(RaftGroupRecord::getMade).orElse(false);
    }

    /** Whether the log is to be made; where it had been and is gone, this server has forgotten what it promised. */
    private boolean requireLog(GroupId group) throws TatamiException {
        Path log = directory(group);
        Path current = log.resolve("current");
        if (KeptVote.isThere(current)) {
            requireVotes(group, current);
            cutTornEnd(group, current);
            return false;
        }
        if (wasMade(group)) {
            throw forgotten("the Raft log of " + group + " is gone from " + log);
        }
        try {
            GroupSnapshots.delete(log);
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR,
                    "cannot remove temporary files of a start in " + log + ": " + Causes.inWords(e),
                    e);
        }
        return true;
    }

    /**
     * Ratis leaves the file empty where there was no space for what it had to write; see {@code DurableVotes}. What is
     * there is kept, as a release may have written it that kept nothing.
     */
    private static void requireVotes(GroupId group, Path log) throws TatamiException {
        boolean isBack;
        try {
            if (!KeptVote.isEmpty(log)) {
                long unused = KeptVote.keep(log);
                return;
            }
            isBack = KeptVote.restore(log, TornEnd.lastTerm(log));
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR,
                    "cannot read or keep what this server voted in " + log + ": " + Causes.inWords(e),
                    e);
        }
        if (!isBack) {
            throw forgotten("what this server voted in " + group + " is gone: raft-meta in " + log + " is empty");
        }
        LOG.warn("raft-meta in {} was left empty by a full disk; what this server voted last is put back", log);
    }

    private static TatamiException forgotten(String what) {
        return new TatamiException(
                ErrorCode.CORRUPT,
                what + ". It is not created again, because its votes and acknowledged entries would be lost:"
                        + " remove this server from the group, and add it with an empty directory, which gives it a new"
                        + " id");
    }

    private Path directory(GroupId group) {
        return RatisGroups.directory(server.getProperties(), RatisNames.group(cluster, group));
    }

    private static void cutTornEnd(GroupId group, Path segments) throws TatamiException {
        try {
            TornEnd.cut(segments);
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR,
                    "cannot read the Raft log of " + group + " in " + segments + ": " + Causes.inWords(e),
                    e);
        }
    }

    /** A store is sealed after the record names its log, so that one that is sealed and has none was robbed of it. */
    private void requireBeginning(GroupId group, ProgressRecord progress, List<Member> founders)
            throws TatamiException {
        if (progress.getReplicated()) {
            throw forgotten("there are records of " + group + ", but its Raft log is gone from " + directory);
        }
        boolean isAlone = founders.size() == 1 && founders.get(0).server().equals(self.server());
        if (progress.getAppliedIndex() > 0 && !isAlone) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "records of " + group + " from before its replication exist: open it with this server as the"
                            + " only founder, and add the other servers afterwards");
        }
    }

    private RaftReplica begin(
            GroupId group, ReplicaStore store, List<Member> founders, boolean isNew, RaftReplica.Listener listener)
            throws TatamiException {
        RaftGroupId raftGroup = RatisNames.group(cluster, group);
        RatisReplica replica = new RatisReplica(
                group, raftGroup, server, calls, client, store, settings, flush, listener, this::forget);
        if (replicas.putIfAbsent(raftGroup, replica) != null) {
            throw new TatamiException(ErrorCode.IN_USE, group + " is already open");
        }
        long beginNanos = Clock.SYSTEM.monotonicNanos();
        try {
            Message unused = calls.addGroup(RaftGroup.valueOf(raftGroup, RatisNames.peers(founders)), isNew)
                    .join();
            RatisTransport.started(server).add(raftGroup);
            LOG.info(
                    "This server's replica of {} was opened in {} ms: {}",
                    group,
                    TimeUnit.NANOSECONDS.toMillis(Clock.SYSTEM.monotonicNanos() - beginNanos),
                    replica.place());
            CrashPoint.hit("raft.open.log-made");
            records.made(group);
            CrashPoint.hit("raft.open.noted");
            return replica;
        } catch (CompletionException e) {
            forget(replica);
            throw e.getCause() instanceof TatamiException ours
                    ? ours
                    : new TatamiException(
                            ErrorCode.IO_ERROR, "cannot open the Raft log of " + group + ": " + Causes.inWords(e), e);
        }
    }

    /** The groups of which something may be stored here. */
    public List<GroupId> stored() {
        return records.groups();
    }

    /**
     * Deletes all that is stored of a group whose replica here is closed and is no member any more. After a crash it is
     * to be called again.
     *
     * @param store as it was opened
     */
    public void drop(GroupId group, Path store) throws TatamiException {
        try {
            ReplicaStore.delete(store);
            CrashPoint.hit("meta.move.store-deleted");
            GroupSnapshots.delete(directory(group));
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR,
                    "cannot delete the files of " + group + " in " + directory + ": " + Causes.inWords(e),
                    e);
        }
        CrashPoint.hit("meta.move.log-deleted");
        records.forget(group);
    }

    private void forget(RatisReplica replica) {
        if (replicas.remove(replica.group(), replica)) {
            RatisTransport.started(server).remove(replica.group());
        }
    }

    /** Closes what is still open of it. */
    @Override
    public void close() {
        replicas.values().forEach(RatisReplica::close);
        try {
            server.close();
        } catch (IOException e) {
            LOG.warn("The Raft server in {} was not closed in order", directory, e);
        }
        flush.close();
        executor.shutdown();
    }
}
