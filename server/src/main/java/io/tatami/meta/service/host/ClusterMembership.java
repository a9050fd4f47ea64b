package io.tatami.meta.service.host;

import io.tatami.base.GroupId;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.StoredIdentity;
import io.tatami.meta.service.lead.SteadyClock;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import java.net.InetSocketAddress;
import java.util.List;

/** What the cluster hears of a metadata server, and has it do. */
final class ClusterMembership implements ClusterMember.Here {
    private final String host;
    private final InetSocketAddress address;
    private final StoredIdentity own;
    private final HostedGroups groups;
    private final ReplicaOrders orders;
    private final SpaceGuard space;
    private final SteadyClock clock;

    /**
     * @param host by which others reach this server
     * @param address where it listens
     */
    ClusterMembership(
            String host,
            InetSocketAddress address,
            StoredIdentity own,
            HostedGroups groups,
            ReplicaOrders orders,
            SpaceGuard space,
            SteadyClock clock) {
        this.host = host;
        this.address = address;
        this.own = own;
        this.groups = groups;
        this.orders = orders;
        this.space = space;
        this.clock = clock;
    }

    @Override
    public RegisterMetadataServerRequest registration() {
        Identity identity = own.get();
        RegisterMetadataServerRequest.Builder registration =
                own.registration().setEndpoint(endpoint(address.getPort()));
        for (GroupId group : groups.ids()) {
            registration.addHostedGroup(group.value());
            if (identity.isReplicated(group)) {
                registration.addReplicatedGroup(group.value());
            }
        }
        if (identity.replicas().port() != 0) {
            registration.setRaft(endpoint(identity.replicas().port()));
        }
        return registration.build();
    }

    private Endpoint endpoint(int port) {
        return Endpoint.newBuilder().setHost(host).setPort(port).build();
    }

    @Override
    public List<Integer> led() {
        return groups.led();
    }

    @Override
    public List<HeldReplica> held() {
        return groups.held();
    }

    @Override
    public boolean isLowOnSpace() {
        return space.isLow();
    }

    @Override
    public long clockAheadSeconds() {
        return clock.aheadSeconds();
    }

    @Override
    public void follow(ReportMetadataServerReply reply) {
        orders.follow(reply);
    }

    @Override
    public void stopServing(String reason) {
        groups.stop(reason);
    }
}
