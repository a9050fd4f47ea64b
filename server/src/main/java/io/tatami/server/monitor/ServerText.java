package io.tatami.server.monitor;

import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.replicate.ReplicaState;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.server.node.BlockNode;

/** How the servers of this process are, as text for administrators. */
final class ServerText {
    private ServerText() {}

    static String of(MetadataServer server) {
        ClusterMap map = server.map();
        StringBuilder text = new StringBuilder();
        text.append("cluster ").append(server.cluster()).append('\n');
        text.append("address ").append(server.address()).append('\n');
        text.append("map of epoch ")
                .append(map.getEpoch())
                .append(", revision ")
                .append(Long.toUnsignedString(map.getRevision()))
                .append(map.getSafeMode() ? ", in safe mode" : "")
                .append('\n');
        for (ReplicaState replica : server.replicas()) {
            text.append(replica.group())
                    .append(replica.leads() ? " leads" : " follows")
                    .append(
                            replica.appliedIndex().isPresent()
                                    ? ", applied " + replica.appliedIndex().getAsLong()
                                    : "")
                    .append(", queued requests ")
                    .append(replica.queuedRequests());
            if (!replica.failure().isEmpty()) {
                text.append(", stopped: ").append(replica.failure());
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** The fields of its status by their names in the protocol. */
    static String of(BlockNode node) {
        return "id " + node.id().value() + "\naddress " + node.address() + "\n" + node.status();
    }
}
