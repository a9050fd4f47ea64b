package io.tatami.meta.service.identity;

import io.tatami.base.TatamiException;
import io.tatami.meta.log.raft.RaftReplica;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where metadata servers are by a replica of the namespace group, which may be behind. */
public final class RememberedServers {
    private static final Logger LOG = LoggerFactory.getLogger(RememberedServers.class);

    private RememberedServers() {}

    /** Of the namespace's replica here. */
    public static List<InetSocketAddress> in(RaftReplica namespace) {
        List<InetSocketAddress> servers = new ArrayList<>();
        try {
            namespace.read(view -> addTo(servers, view));
        } catch (TatamiException e) {
            LOG.info("the namespace's replica cannot be read just now", e);
        }
        return servers;
    }

    private static void addTo(List<InetSocketAddress> servers, View namespace) {
        for (ClusterState.Host group : new ClusterState(new Draft(namespace)).hosts()) {
            for (GroupReplicaRecord replica : group.record().getReplicaList()) {
                InetSocketAddress server = InetSocketAddress.createUnresolved(replica.getHost(), replica.getPort());
                if (replica.getServes() && !servers.contains(server)) {
                    servers.add(server);
                }
            }
        }
    }

    /** Of a store that nobody has open; none where there is none, or it cannot be opened as it is. */
    public static List<InetSocketAddress> at(Path namespace, StoreMemory memory) {
        if (!Files.exists(namespace)) {
            return List.of();
        }
        try (GroupStore store = GroupStore.open(namespace, memory)) {
            List<InetSocketAddress> servers = new ArrayList<>();
            addTo(servers, store.liveView());
            return servers;
        } catch (TatamiException e) {
            LOG.info("the namespace's replica in {} cannot be read before it is opened", namespace, e);
            return List.of();
        }
    }
}
