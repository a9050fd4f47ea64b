package io.tatami.meta.service.cluster;

import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.cluster.OpenSession;
import io.tatami.meta.op.cluster.RegisterMetadataServer;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Invitations;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.InviteAdministratorReply;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Membership and sessions, as a part of the namespace group. */
public final class NamespaceClusterHandlers implements GroupPart<ClusterState> {
    private static final Duration REFRESH_REST = Duration.ofSeconds(1);

    private final ClusterMapHolder maps;
    private final String superuser;
    private final Invitations invitations;

    /**
     * @param superuser who formatted the cluster
     * @param invitations to the console of this process
     */
    public NamespaceClusterHandlers(ClusterMapHolder maps, String superuser, Invitations invitations) {
        this.maps = maps;
        this.superuser = superuser;
        this.invitations = invitations;
    }

    /** Another one for each leader, never 0. */
    private static long newSource() {
        return new SecureRandom().nextLong() | 1;
    }

    private CompletableFuture<InviteAdministratorReply> invite(RequestOrigin origin) {
        try {
            return CompletableFuture.completedFuture(
                    invitations.invite(origin.caller().user()));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void register(GroupTable<ClusterState> table, PartContext<ClusterState> parts) {
        MapAnnouncer announcer = new MapAnnouncer(parts.peers());
        ClusterWatch watch = new ClusterWatch(
                parts.group(), parts.clock(), maps, announcer, parts.signer().blockServers(), newSource());
        int replicas = parts.record().getReplicas();
        RegisterMetadataServer registerMetadata = new RegisterMetadataServer(
                parts.record().getShards(), parts.record().getHandleKey(), superuser, replicas);
        ServerReports reports = new ServerReports(parts.group(), parts.clock(), maps, watch, announcer);
        DrainEnds drains = new DrainEnds(parts.group(), parts.peers());
        MembershipFlows membership =
                new MembershipFlows(parts.group(), parts.peers(), watch, announcer, reports, drains, registerMetadata);
        MetadataServerFlows servers = new MetadataServerFlows(parts.group(), reports, watch, replicas);
        GrowingReplication growing = new GrowingReplication(parts, reports);
        table.flow(MetaMethods.REGISTER_METADATA_SERVER, membership::registerMetadataServer)
                .flow(MetaMethods.LIST_METADATA_SERVERS, servers::list)
                .flow(MetaMethods.CHANGE_METADATA_SERVER, servers::change)
                .flow(MetaMethods.REPLICATE_GROUPS, growing::replicate)
                .flow(MetaMethods.REPORT_METADATA_SERVER, reports::report)
                .flow(MetaMethods.REGISTER_BLOCK_SERVER, membership::registerBlockServer)
                .flow(MetaMethods.CHANGE_BLOCK_SERVER, membership::changeBlockServer)
                .flow(
                        MetaMethods.CHANGE_VOLUME,
                        (origin, request) -> parts.peers()
                                .callBlockServer(
                                        new ServerId(request.getServerId()), BlockMethods.CHANGE_VOLUME, request))
                .flow(
                        MetaMethods.READ_STATISTICS,
                        (origin, request) -> parts.peers()
                                .callBlockServer(
                                        new ServerId(request.getServerId()), BlockMethods.READ_STATISTICS, request))
                .flow(MetaMethods.INVITE_ADMINISTRATOR, (origin, request) -> invite(origin))
                .flow(MetaMethods.SAFE_MODE, membership::safeMode)
                .flow(MetaMethods.HEARTBEAT, (origin, request) -> watch.heartbeat(request))
                .write(MetaMethods.OPEN_SESSION, new OpenSession(parts.signer().sessions()))
                .flow(
                        MetaMethods.CLOSE_SESSION,
                        (origin, request) -> CompletableFuture.completedFuture(Empty.getDefaultInstance()))
                .background("cluster.map", "k", () -> watch.refresh().thenApply(map -> REFRESH_REST))
                .background("cluster.members", "k", new GroupMembers(parts.group(), parts.peers(), replicas))
                .background("cluster.moves", "k", servers::moveOn)
                .background("cluster.replication", "k", growing)
                .background("cluster.drains", "k", drains);
        RackMapping racks = RackMapping.from(parts.settings());
        if (racks.isConfigured()) {
            table.background("cluster.racks", "k", new RackResolution(parts.group(), racks, parts.clock()));
        }
    }
}
