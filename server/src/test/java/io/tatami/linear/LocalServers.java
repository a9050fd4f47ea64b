package io.tatami.linear;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.relay.FreePorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Metadata servers in this JVM: one with the namespace group and two with two shards each. They end in order. */
final class LocalServers implements Servers {
    private static final int SHARDS = 4;
    private static final long SECONDS_MAX = 60;
    private static final long POLL_MILLIS = 50;

    private final Path directory;
    private final List<InetSocketAddress> addresses;
    private final List<MetadataServer> servers = new ArrayList<>();

    LocalServers(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        this.addresses = FreePorts.find(1 + SHARDS / 2);
        try {
            for (int server = 0; server < addresses.size(); server++) {
                servers.add(open(server));
            }
        } catch (IOException | InterruptedException e) {
            close();
            throw e;
        }
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return addresses;
    }

    @Override
    public void end(int server) throws IOException {
        servers.get(server).close();
    }

    @Override
    public void begin(int server) throws IOException, InterruptedException {
        servers.set(server, open(server));
    }

    /** Somebody else may have the port for a moment. */
    private MetadataServer open(int server) throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            try {
                return openOnce(server);
            } catch (TatamiException e) {
                boolean mayPass = e.code() == ErrorCode.IN_USE || e.code().isRetryable();
                if (!mayPass || System.nanoTime() > giveUpNanos) {
                    throw e;
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
    }

    private MetadataServer openOnce(int server) throws TatamiException {
        ServerLocation location = new ServerLocation(
                directory.resolve("server-" + server),
                "127.0.0.1",
                addresses.get(server).getPort());
        if (server == 0) {
            NewCluster fresh = new NewCluster(SHARDS, List.of(GroupId.NAMESPACE));
            return MetadataServer.open(location, fresh, Settings.defaults(), user -> List.of(), Clock.SYSTEM);
        }
        List<Integer> shards = List.of(2 * server - 2, 2 * server - 1);
        List<InetSocketAddress> seeds = addresses.subList(0, 1);
        return MetadataServer.join(location, seeds, shards, Settings.defaults(), user -> List.of(), Clock.SYSTEM);
    }

    @Override
    public void close() throws IOException {
        for (MetadataServer server : servers) {
            server.close();
        }
    }
}
