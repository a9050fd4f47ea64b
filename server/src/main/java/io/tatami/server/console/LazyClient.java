package io.tatami.server.console;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client of the cluster in the name of one user, which connects when it is first asked for, and again where that
 * failed. What it does is bounded by seconds, as a person waits. Safe for use by many threads.
 */
final class LazyClient implements AutoCloseable {
    private static final Settings BOUNDS = Settings.of(Map.of(
            "tatami.client.connect.timeout", "5s",
            "tatami.client.attempt.timeout", "5s",
            "tatami.client.operation.timeout", "10s",
            "tatami.client.list.page", "500"));

    private final UserIdentity user;
    private final Settings settings;
    private @Nullable InetSocketAddress server;
    private @Nullable TatamiClient client;
    private boolean isClosed;

    /** @param settings of this process, whose times a client of the console does not take */
    LazyClient(String user, Settings settings) {
        this.user = UserIdentity.of(user);
        this.settings = BOUNDS.orElse(settings);
    }

    /** Names a metadata server, by which the cluster is found from now on. */
    synchronized void connectsTo(InetSocketAddress address) {
        server = address;
    }

    /** @throws TatamiException UNAVAILABLE while no server of this process serves, or none answers */
    synchronized TatamiClient get() throws TatamiException {
        if (isClosed || server == null) {
            String phase = isClosed ? "stopping" : "starting";
            throw new TatamiException(ErrorCode.UNAVAILABLE, "this metadata server is " + phase);
        }
        if (client == null) {
            client = TatamiClient.connect(server.getHostString() + ":" + server.getPort(), user, settings);
        }
        return client;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (client != null) {
            client.close();
            client = null;
        }
    }
}
