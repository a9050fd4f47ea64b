package io.tatami.meta.log.raft;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.meta.log.flush.TreeFlush;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.log.raft.snapshot.SnapshotRhythm;
import io.tatami.meta.log.raft.transport.RatisTransport;
import io.tatami.meta.store.GroupStore;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replica in this process: the store, what Ratis says of it, and who hears of it. */
final class RatisReplica implements RaftReplica {
    private static final Logger LOG = LoggerFactory.getLogger(RatisReplica.class);

    /** So long a term is left alone: of followers that have not answered in it, nobody knows whether they are there. */
    private static final long STEADY_MILLIS = 5_000;

    /** Heartbeats come several times in that. */
    private static final long SILENCE_MILLIS_MAX = 1_000;

    private final GroupId id;
    private final RaftGroupId group;
    private final RaftServer server;
    private final RatisCalls calls;
    private final ReplicaStore store;
    private final Leadership leadership;
    private final Listener listener;
    private final Consumer<RatisReplica> closed;
    private final GroupStateMachine machine;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicBoolean handingOver = new AtomicBoolean();
    private boolean left;

    /**
     * @param store closed with the replica
     * @param flush for snapshots that come; outlives the replica
     * @param closed told once the replica is
     */
    RatisReplica(
            GroupId id,
            RaftGroupId group,
            RaftServer server,
            RatisCalls calls,
            ClientId client,
            ReplicaStore store,
            RaftSettings settings,
            TreeFlush flush,
            Listener listener,
            Consumer<RatisReplica> closed) {
        this.id = id;
        this.group = group;
        this.server = server;
        this.calls = calls;
        this.store = store;
        this.listener = listener;
        this.closed = closed;
        this.leadership = new Leadership("raft-" + id, listener);
        SnapshotRhythm rhythm = new SnapshotRhythm(settings.snapshotEntries(), settings.snapshotBytes());
        this.machine = new GroupStateMachine(id, store, client, rhythm, flush, new Reactions());
    }

    RaftGroupId group() {
        return group;
    }

    GroupStateMachine machine() {
        return machine;
    }

    @Override
    public Optional<UUID> leader() {
        try {
            RaftPeerId leader = server.getDivision(group).getInfo().getLeaderId();
            return leader == null ? Optional.empty() : Optional.of(RatisNames.server(leader));
        } catch (IOException e) {
            LOG.debug("{} is closed", id, e);
            return Optional.empty();
        }
    }

    @Override
    public List<Member> members() {
        try {
            return RatisNames.members(server.getDivision(group).getRaftConf().getCurrentPeers());
        } catch (IOException e) {
            LOG.debug("{} is closed", id, e);
            return List.of();
        }
    }

    @Override
    public CompletableFuture<Void> setMembers(List<Member> members) {
        // A new member begins with a snapshot where there is one. What was here before the group was replicated is in
        // no log. Where one is on its way, this has been asked for before, and is asked again every second.
        CompletableFuture<Message> snapshot = machine.isSendingSnapshot()
                ? CompletableFuture.completedFuture(Message.EMPTY)
                : calls.takeSnapshot(group);
        return snapshot.thenCompose(taken -> members.stream().anyMatch(this::isSelf)
                        ? calls.setMembers(group, RatisNames.peers(members))
                        : makeRoomFor(members))
                .thenApply(reply -> null);
    }

    private boolean isSelf(Member member) {
        return RatisNames.peer(member.server()).equals(server.getId());
    }

    /** Fails always: with NOT_LEADER where one of them leads now. */
    private CompletableFuture<Message> makeRoomFor(List<Member> successors) {
        Set<Member> withSelf = new LinkedHashSet<>(successors);
        members().stream().filter(this::isSelf).forEach(withSelf::add);
        CompletableFuture<Message> set = withSelf.equals(Set.copyOf(members()))
                ? CompletableFuture.completedFuture(Message.EMPTY)
                : calls.setMembers(group, RatisNames.peers(List.copyOf(withSelf)));
        return set.thenCompose(done -> calls.handOver(
                        group, RatisNames.peer(liveliest(successors).server())))
                .thenCompose(done -> CompletableFuture.failedFuture(new TatamiException(
                        ErrorCode.NOT_LEADER,
                        "this replica of " + id + " is being removed and has handed its leadership over")));
    }

    @Override
    public CompletableFuture<Void> handOver(UUID successor) {
        RaftPeerId peer = RatisNames.peer(successor);
        RoleInfoProto role = role();
        if (role.getRoleElapsedTimeMs() < STEADY_MILLIS
                || silentMillis(role).getOrDefault(peer, Long.MAX_VALUE) > SILENCE_MILLIS_MAX) {
            return CompletableFuture.failedFuture(new TatamiException(
                    ErrorCode.BUSY,
                    "this replica of " + id + " became leader a short time ago, or has no contact with " + successor));
        }
        if (!handingOver.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.BUSY, id + " is already being handed over"));
        }
        return calls.handOver(group, peer)
                .<Void>thenApply(done -> null)
                .whenComplete((done, thrown) -> handingOver.set(false));
    }

    /** The one that has answered this leader last, of those that are members already; else the first. */
    private Member liveliest(List<Member> successors) {
        Map<RaftPeerId, Long> silentMillis = silentMillis(role());
        return successors.stream()
                .min(Comparator.comparingLong(
                        member -> silentMillis.getOrDefault(RatisNames.peer(member.server()), Long.MAX_VALUE)))
                .orElseThrow();
    }

    /** What this replica does in its group, and since when; nothing where it is closed. */
    private RoleInfoProto role() {
        try {
            return server.getDivision(group).getInfo().getRoleInfoProto();
        } catch (IOException e) {
            LOG.debug("{} is closed", id, e);
            return RoleInfoProto.getDefaultInstance();
        }
    }

    /** How far the replica is, for the log. */
    String place() {
        try {
            RaftServer.Division division = server.getDivision(group);
            DivisionInfo info = division.getInfo();
            RaftLog log = division.getRaftLog();
            return String.format(
                    "term %d, applied %d of %d entries, of which %d are committed",
                    info.getCurrentTerm(),
                    info.getLastAppliedIndex() + 1,
                    log.getNextIndex(),
                    log.getLastCommittedIndex() + 1);
        } catch (IOException e) {
            return "closed meanwhile";
        }
    }

    /** How long ago each follower has answered this leader. */
    private static Map<RaftPeerId, Long> silentMillis(RoleInfoProto role) {
        Map<RaftPeerId, Long> silentMillis = new HashMap<>();
        for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
            silentMillis.put(RaftPeerId.valueOf(follower.getId().getId()), follower.getLastRpcElapsedTimeMs());
        }
        return silentMillis;
    }

    @Override
    public GroupStore store() {
        return store.get();
    }

    @Override
    public Optional<SnapshotProgress> receiving() {
        return RatisTransport.received(server).progress(group);
    }

    @Override
    public void read(Reading reading) throws TatamiException {
        store.read(reading);
    }

    @Override
    public void close() {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        leadership.close();
        leave();
        store.close();
        closed.accept(this);
    }

    /** So that the log of another term follows one that has failed, here or elsewhere. */
    private void stepDown() {
        CompletableFuture<Message> asked = calls.stepDown(group).whenComplete((done, thrown) -> {
            if (thrown != null && !ending.get() && Causes.of(thrown).code() != ErrorCode.NOT_LEADER) {
                LOG.warn("{} could not give up leading after a commit that failed", id, thrown);
            }
        });
        assert asked != null;
    }

    /** Returns when Ratis has ended with the group, whoever has asked for that first. */
    private synchronized void leave() {
        if (left) {
            return;
        }
        left = true;
        try {
            Message unused = calls.removeGroup(group).join();
        } catch (CompletionException e) {
            LOG.warn("The Raft log of {} was not closed in order", id, e);
        }
    }

    /** What follows from what Ratis tells. */
    private final class Reactions implements GroupStateMachine.Events {
        @Override
        public void elected() {
            LOG.info("{} has elected this server's replica: {}", id, place());
        }

        @Override
        public void leaderReady() {
            LOG.info(
                    "{} is led by this server, {} ms after its replica was elected: {}",
                    id,
                    role().getRoleElapsedTimeMs(),
                    place());
            leadership.gained(
                    () -> new RatisLog(calls, group, store.get(), RatisReplica.this::stepDown),
                    log -> listener.leads(store.get(), log));
        }

        @Override
        public void notLeader() {
            leadership.lost();
        }

        @Override
        public CompletableFuture<Void> released() {
            return leadership.released();
        }

        @Override
        public void snapshotDue() {
            CompletableFuture<Message> asked = calls.takeSnapshot(group).whenComplete((taken, thrown) -> {
                if (thrown != null && !ending.get()) {
                    LOG.warn("{} took no snapshot; its Raft log goes on growing", id, thrown);
                }
            });
            assert asked != null;
        }

        @Override
        public void failed(TatamiException reason) {
            leadership.failed(reason);
            // Ratis waits for the thread that tells of the failure.
            Thread leaver = Threads.daemon(RatisReplica.this::leave, "raft-stop-" + id);
            leaver.start();
        }

        @Override
        public void ended() {
            if (!ending.get()) {
                LOG.info("{} is no member of its group by what the others say", id);
                leadership.excluded();
            }
        }
    }
}
