package io.tatami.hadoop;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.BlockNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A further block server for the cluster of a standalone node. */
final class JoinedBlockServer {
    private JoinedBlockServer() {}

    /**
     * A block server that has joined the cluster.
     *
     * @param directory of its volume and its id
     * @param host a loopback address
     * @param metadata {@code tatami://host:port}
     */
    static BlockNode open(Path directory, long volumeBytes, String host, URI metadata) throws IOException {
        return open(directory, volumeBytes, host, metadata, Map.of());
    }

    /** The same with settings. */
    static BlockNode open(Path directory, long volumeBytes, String host, URI metadata, Map<String, String> settings)
            throws IOException {
        UUID cluster;
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        try (TatamiClient client = TatamiClient.connect(metadata.getAuthority(), user, Settings.defaults())) {
            cluster = client.clusterId();
        }
        return BlockNode.open(
                new BlockNode.Setup(directory, List.of(), volumeBytes, host, 0),
                cluster,
                List.of(InetSocketAddress.createUnresolved(metadata.getHost(), metadata.getPort())),
                BlockServerSettings.from(Settings.of(settings)));
    }
}
