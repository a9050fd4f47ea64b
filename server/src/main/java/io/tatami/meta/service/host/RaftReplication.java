package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.conf.Settings;
import io.tatami.meta.log.Member;
import io.tatami.meta.log.RaftHost;
import io.tatami.meta.log.RaftReplica;
import io.tatami.meta.log.RaftSettings;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.store.StoreMemory;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Of groups that several servers hold, each by a replicated log. Opened and closed by one thread. */
final class RaftReplication implements Replication {
    private static final Logger LOG = LoggerFactory.getLogger(RaftReplication.class);

    private static final Executor AFTER_PAUSE = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    private final RaftHost host;
    private final Member self;
    private final Identity identity;
    private final GroupStores stores;
    private final StoreMemory memory;
    private final Map<HostedGroup, GroupRecord> groups = new LinkedHashMap<>();
    private final Map<GroupId, RaftReplica> replicas = new ConcurrentHashMap<>();

    private RaftReplication(RaftHost host, Member self, Identity identity, GroupStores stores, StoreMemory memory) {
        this.host = host;
        this.self = self;
        this.identity = identity;
        this.stores = stores;
        this.memory = memory;
    }

    /** Opens the server's side of the logs, in {@code DIR/raft}. */
    static RaftReplication open(
            Identity identity, MetadataServer.Place place, Settings settings, GroupStores stores, StoreMemory memory)
            throws TatamiException {
        Member self = new Member(
                identity.server(),
                InetSocketAddress.createUnresolved(
                        place.host(), identity.replicas().port()));
        RaftHost host = RaftHost.open(
                identity.cluster(),
                self,
                RaftPort.bindHost(place, settings),
                place.directory().resolve("raft"),
                RaftSettings.from(settings));
        return new RaftReplication(host, self, identity, stores, memory);
    }

    @Override
    public void open(GroupRecord record, HostedGroup group) {
        groups.put(group, record);
    }

    @Override
    public void start() throws TatamiException {
        for (Map.Entry<HostedGroup, GroupRecord> group : groups.entrySet()) {
            replicas.put(group.getKey().id(), open(group.getKey(), group.getValue()));
        }
    }

    private RaftReplica open(HostedGroup group, GroupRecord record) throws TatamiException {
        GroupId id = group.id();
        boolean founds = identity.replicas().founds();
        return host.open(
                id,
                stores.path(id),
                memory,
                founds ? List.of(self) : List.of(),
                new ReplicaTerms(
                        group,
                        request -> setMembers(id, request),
                        AFTER_PAUSE,
                        founds ? Optional.of(record) : Optional.empty()));
    }

    @Override
    public Optional<UUID> leader(GroupId group) {
        RaftReplica replica = replicas.get(group);
        return replica == null ? Optional.empty() : replica.leader();
    }

    private CompletableFuture<Void> setMembers(GroupId group, SetGroupMembersRequest request) {
        RaftReplica replica = replicas.get(group);
        if (replica == null) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.UNAVAILABLE, group + " is just being opened"));
        }
        List<Member> wanted = new ArrayList<>();
        for (GroupReplica member : request.getMemberList()) {
            wanted.add(new Member(
                    UuidBytes.get(member.getServerId().asReadOnlyByteBuffer()),
                    InetSocketAddress.createUnresolved(
                            member.getRaft().getHost(), member.getRaft().getPort())));
        }
        if (wanted.equals(replica.members())) {
            return CompletableFuture.completedFuture(null);
        }
        LOG.info("{} gets the members {}", group, wanted);
        return replica.setMembers(wanted);
    }

    /** By the namespace's replica, which may be behind. */
    @Override
    public List<InetSocketAddress> knownServers() {
        RaftReplica namespace = replicas.get(GroupId.NAMESPACE);
        List<InetSocketAddress> servers = new ArrayList<>();
        if (namespace == null) {
            return servers;
        }
        try {
            namespace.read(view -> addServers(view, servers));
        } catch (TatamiException e) {
            LOG.info("the namespace's replica cannot be read just now", e);
        }
        return servers;
    }

    private static void addServers(View view, List<InetSocketAddress> servers) throws TatamiException {
        for (ClusterState.Host group : new ClusterState(new Draft(view)).hosts()) {
            for (GroupReplicaRecord replica : group.record().getReplicaList()) {
                InetSocketAddress server = InetSocketAddress.createUnresolved(replica.getHost(), replica.getPort());
                if (replica.getServes() && !servers.contains(server)) {
                    servers.add(server);
                }
            }
        }
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
