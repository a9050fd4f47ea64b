package io.tatami.linear;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.BlockNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Metadata servers, and as many block servers, of a host each, which end and begin in their place. A message to a
 * metadata server may be lost as ever.
 */
final class ServersWithBlocks implements Servers {
    private static final long VOLUME_BYTES = 64L << 20;
    private static final int FIRST_HOST = 11;

    private final Servers metadata;
    private final Path directory;
    private final UUID cluster;
    private final List<BlockNode> blockServers = new ArrayList<>();

    /** @param metadata is closed with this */
    ServersWithBlocks(Servers metadata, Path directory) throws IOException {
        this.metadata = metadata;
        this.directory = directory;
        InetSocketAddress first = metadata.addresses().get(0);
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        try {
            try (TatamiClient client =
                    TatamiClient.connect(first.getHostString() + ":" + first.getPort(), user, Settings.defaults())) {
                cluster = client.clusterId();
            }
            for (int server = 0; server < metadata.addresses().size(); server++) {
                blockServers.add(open(server));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private BlockNode open(int server) throws IOException {
        return BlockNode.open(
                new BlockNode.Setup(
                        directory.resolve("block-server-" + server),
                        List.of(),
                        VOLUME_BYTES,
                        "127.0.0." + (FIRST_HOST + server),
                        0),
                cluster,
                metadata.addresses(),
                BlockServerSettings.from(Settings.defaults()));
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return metadata.addresses();
    }

    @Override
    public void end(int server) throws IOException {
        blockServers.get(server).close();
    }

    @Override
    public void begin(int server) throws IOException {
        blockServers.set(server, open(server));
    }

    @Override
    public void close() throws IOException {
        try {
            for (BlockNode server : blockServers) {
                server.close();
            }
        } finally {
            metadata.close();
        }
    }
}
