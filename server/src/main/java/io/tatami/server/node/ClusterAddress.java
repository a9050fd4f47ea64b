package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.meta.MetadataAddress;
import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.node.AddressProbe.State;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cluster as it is named on the command line: {@code tatami://host:port}, or {@code host:port} alone. */
public record ClusterAddress(String authority) {
    private static final int PORT_DEFAULT = 9480;
    private static final long HANDSHAKE_MILLIS_MAX = Duration.ofMinutes(10).toMillis();
    private static final String SCHEME = "tatami";

    public static ClusterAddress of(String text) throws TatamiException {
        if (!text.contains("://")) {
            return new ClusterAddress(text);
        }
        try {
            URI uri = URI.create(text);
            if (SCHEME.equals(uri.getScheme()) && uri.getAuthority() != null) {
                return new ClusterAddress(uri.getAuthority());
            }
        } catch (IllegalArgumentException e) {
            throw notAnAddress(text, e);
        }
        throw notAnAddress(text, null);
    }

    private static TatamiException notAnAddress(String text, @Nullable Throwable cause) {
        return new TatamiException(
                ErrorCode.INVALID_ARGUMENT, text + " is not the address of a cluster; write tatami://host:port", cause);
    }

    /**
     * The sockets of its metadata servers.
     *
     * @throws TatamiException INVALID_ARGUMENT; UNAVAILABLE where no name can be resolved
     */
    public List<InetSocketAddress> sockets() throws TatamiException {
        List<InetSocketAddress> sockets = new ArrayList<>();
        for (String server : authority.split(",", -1)) {
            int colon = server.lastIndexOf(':');
            try {
                int port = colon < 0 ? PORT_DEFAULT : Integer.parseInt(server.substring(colon + 1));
                sockets.add(new InetSocketAddress(colon < 0 ? server : server.substring(0, colon), port));
            } catch (IllegalArgumentException e) {
                throw notAnAddress(server, e);
            }
        }
        if (sockets.stream().allMatch(InetSocketAddress::isUnresolved)) {
            throw unresolved(authority, null);
        }
        return sockets;
    }

    /**
     * A client in the name of the user of this program, for a command at a terminal.
     *
     * @throws TatamiException UNAVAILABLE, with the cause and the remedy: at once where every server's address refuses
     *     connections or cannot be reached, after {@code patience} where one takes connections and does not answer
     */
    public TatamiClient connect(Patience patience) throws TatamiException {
        Settings settings = ofCommands(patience);
        List<InetSocketAddress> servers = MetadataAddress.of(authority, settings);
        AddressProbe before = AddressProbe.of(servers, patience.noticeAfter());
        if (!before.mayAnswer()) {
            throw notThere(before, null);
        }
        String line = "waiting for " + authority + ", which has not answered yet (" + before.text() + ")";
        UserIdentity user = UserIdentity.of(user());
        try {
            return patience.await(line, () -> TatamiClient.connect(authority, user, settings));
        } catch (TatamiException e) {
            if (!e.code().isRetryable()) {
                throw e;
            }
            AddressProbe after = AddressProbe.of(servers, patience.noticeAfter());
            Duration waited = ClientSettings.from(settings).connectTimeout();
            throw after.any(State.LISTENS) ? busy(waited, e) : notThere(after, e);
        }
    }

    /** As Hadoop's own commands take it, so that no two commands of one shell are of two users. */
    private static String user() {
        String named = System.getenv("HADOOP_USER_NAME");
        return named == null || named.isEmpty() ? System.getProperty("user.name") : named;
    }

    private TatamiException notThere(AddressProbe probe, @Nullable TatamiException cause) {
        if (probe.all(State.UNKNOWN_HOST)) {
            return unresolved(authority, cause);
        }
        String remedy = probe.any(State.REFUSED)
                ? "Check that the address is the one that 'tatami start' printed (also in DIR/run/ready), and that the"
                        + " server runs: tatami start standalone --data DIR, or start metadata"
                : "Check the host name, that the host runs, and that no firewall blocks the port";
        return new TatamiException(
                ErrorCode.UNAVAILABLE,
                "no server answers at " + authority + ": " + probe.text() + ". " + remedy,
                cause);
    }

    private static TatamiException unresolved(String authority, @Nullable Throwable cause) {
        return new TatamiException(
                ErrorCode.UNAVAILABLE,
                "the host name in " + authority
                        + " cannot be resolved. Check its spelling, and that DNS or /etc/hosts of"
                        + " this host knows it: getent hosts NAME",
                cause);
    }

    private TatamiException busy(Duration waited, TatamiException cause) {
        return new TatamiException(
                ErrorCode.UNAVAILABLE,
                authority + " takes connections, but did not answer within " + waited.toMillis() + " ms: the server is"
                        + " busy, paused or hangs. See the load of its host and DIR/logs; TATAMI_OPTS=-D"
                        + ClientSettings.CONNECT_TIMEOUT.key() + "=2m waits longer",
                cause);
    }

    /** The time to connect is also that of one handshake: to begin it anew helps no server that is busy. */
    private static Settings ofCommands(Patience patience) throws TatamiException {
        Settings own = new Settings(System::getProperty);
        Settings patient = own.orElse(Settings.of(Map.of(
                ClientSettings.CONNECT_TIMEOUT.key(), patience.giveUpAfter().toMillis() + "ms")));
        long millis = ClientSettings.from(patient).connectTimeout().toMillis();
        return patient.orElse(Settings.of(
                Map.of(RpcSettings.HANDSHAKE_TIMEOUT.key(), Math.min(millis, HANDSHAKE_MILLIS_MAX) + "ms")));
    }
}
