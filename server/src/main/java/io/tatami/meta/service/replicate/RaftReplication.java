package io.tatami.meta.service.replicate;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.conf.Settings;
import io.tatami.meta.log.raft.Member;
import io.tatami.meta.log.raft.RaftHost;
import io.tatami.meta.log.raft.RaftReplica;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.RememberedServers;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.meta.service.identity.StoredIdentity;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of groups that several servers hold, each by a replicated log. Opened and closed by one thread, when none adds
 * replicas.
 */
public final class RaftReplication implements Replication {
    private static final Logger LOG = LoggerFactory.getLogger(RaftReplication.class);

    private static final Executor AFTER_PAUSE = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    private final RaftHost host;
    private final Member self;
    private final StoredIdentity own;
    private final GroupStores stores;
    private final StoreMemory memory;
    private final List<HostedGroup> groups = new ArrayList<>();
    private final Map<GroupId, RaftReplica> replicas = new ConcurrentHashMap<>();

    /** Of the newest map by which a group's members were set here; what others have led is in the group's log. */
    private final Map<GroupId, Long> epochs = new ConcurrentHashMap<>();

    private RaftReplication(RaftHost host, Member self, StoredIdentity own, GroupStores stores, StoreMemory memory) {
        this.host = host;
        this.self = self;
        this.own = own;
        this.stores = stores;
        this.memory = memory;
    }

    /** Opens the server's side of the logs, in {@code DIR/raft}. */
    public static RaftReplication open(
            StoredIdentity own, ServerLocation location, Settings settings, GroupStores stores, StoreMemory memory)
            throws TatamiException {
        Identity identity = own.get();
        Member self = new Member(
                identity.server(),
                InetSocketAddress.createUnresolved(
                        location.host(), identity.replicas().port()));
        RaftHost host = RaftHost.open(
                identity.cluster(),
                self,
                RaftPort.bindHost(location, settings),
                location.directory().resolve("raft"),
                RaftSettings.from(settings));
        try {
            for (GroupId stored : host.stored()) {
                if (!identity.groups().contains(stored)) {
                    LOG.info("what is left of {} is deleted, which was moved to another server", stored);
                    host.drop(stored, stores.path(stored));
                }
            }
            return new RaftReplication(host, self, own, stores, memory);
        } catch (TatamiException | RuntimeException e) {
            host.close();
            throw e;
        }
    }

    @Override
    public void open(GroupRecord record, HostedGroup group) {
        groups.add(group);
    }

    @Override
    public void start() throws TatamiException {
        for (HostedGroup group : groups) {
            add(group);
        }
    }

    /** Opens the replica of a group, as the identity says that this server holds it. */
    @Override
    public void add(HostedGroup group) throws TatamiException {
        GroupId id = group.id();
        if (logOf(group) == Identity.Log.GROWN && !host.wasMade(id)) {
            // No log and no snapshot has what is in there.
            stores.requireStore(id);
        }
        replicas.put(id, host.open(id, stores.path(id), memory, founders(group), terms(group)));
    }

    /** As {@link #add} with a store that is open, which becomes the replica's, or is closed. */
    void add(HostedGroup group, GroupStore store) throws TatamiException {
        GroupId id = group.id();
        replicas.put(id, host.open(id, stores.path(id), store, memory, founders(group), terms(group)));
    }

    private Identity.Log logOf(HostedGroup group) {
        return Objects.requireNonNull(own.get().logs().get(group.id()));
    }

    private List<Member> founders(HostedGroup group) {
        return logOf(group).founds() ? List.of(self) : List.of();
    }

    private ReplicaTerms terms(HostedGroup group) {
        boolean isNew = logOf(group) == Identity.Log.FOUNDED;
        return new ReplicaTerms(
                group,
                request -> setMembers(group.id(), request),
                AFTER_PAUSE,
                isNew ? Optional.of(own.get().record(group.id())) : Optional.empty());
    }

    @Override
    public void remove(GroupId group) {
        RaftReplica replica = replicas.remove(group);
        if (replica != null) {
            replica.close();
        }
    }

    @Override
    public void drop(GroupId group) throws TatamiException {
        host.drop(group, stores.path(group));
    }

    @Override
    public List<GroupId> stored() {
        return host.stored();
    }

    @Override
    public OptionalLong appliedIndex(GroupId group) {
        RaftReplica replica = replicas.get(group);
        return replica == null
                ? OptionalLong.empty()
                : OptionalLong.of(replica.store().appliedIndex());
    }

    @Override
    public Optional<SnapshotProgress> receiving(GroupId group) {
        RaftReplica replica = replicas.get(group);
        return replica == null ? Optional.empty() : replica.receiving();
    }

    @Override
    public Optional<UUID> leader(GroupId group) {
        RaftReplica replica = replicas.get(group);
        return replica == null ? Optional.empty() : replica.leader();
    }

    @Override
    public void handOver(GroupId group, UUID successor) {
        RaftReplica replica = replicas.get(group);
        if (replica == null) {
            return;
        }
        CompletableFuture<Void> unused = replica.handOver(successor).whenComplete((done, failure) -> {
            if (failure == null) {
                LOG.info("{} was handed over to {}, which is to lead it", group, successor);
            } else {
                LOG.debug("{} is not handed over for now", group, failure);
            }
        });
    }

    /** One after the other: what an older map says is not begun after what a newer one says. */
    private synchronized CompletableFuture<Void> setMembers(GroupId group, SetGroupMembersRequest request) {
        RaftReplica replica = replicas.get(group);
        if (replica == null) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.UNAVAILABLE, group + " is being opened; ask again"));
        }
        List<Member> wanted = new ArrayList<>();
        for (GroupReplica member : request.getMemberList()) {
            wanted.add(new Member(
                    UuidBytes.get(member.getServerId().asReadOnlyByteBuffer()),
                    InetSocketAddress.createUnresolved(
                            member.getRaft().getHost(), member.getRaft().getPort())));
        }
        if (epochs.merge(group, request.getEpoch(), Math::max) > request.getEpoch()) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.FENCED, "a newer cluster map names other members of " + group));
        }
        if (Set.copyOf(wanted).equals(Set.copyOf(replica.members()))) {
            return CompletableFuture.completedFuture(null);
        }
        LOG.info("{} gets the members {}", group, wanted);
        return replica.setMembers(wanted);
    }

    /** By the namespace's replica, which may be behind. */
    @Override
    public List<InetSocketAddress> knownServers() {
        RaftReplica namespace = replicas.get(GroupId.NAMESPACE);
        return namespace == null ? List.of() : RememberedServers.in(namespace);
    }

    @Override
    public void close() throws TatamiException {
        try {
            replicas.values().forEach(RaftReplica::close);
        } finally {
            host.close();
        }
    }
}
