package io.tatami.server;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.ClientSettings;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cluster as it is named on the command line: {@code tatami://host:port}, or {@code host:port} alone. */
record ClusterAddress(String authority) {
    private static final int PORT_DEFAULT = 9480;
    private static final String SCHEME = "tatami";

    static ClusterAddress of(String text) throws TatamiException {
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
                ErrorCode.INVALID_ARGUMENT, text + " names no cluster; write tatami://host:port", cause);
    }

    /** The sockets of its metadata servers. */
    List<InetSocketAddress> sockets() throws TatamiException {
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
        return sockets;
    }

    /**
     * A client in the name of whoever runs this program, for a command that somebody waits for.
     *
     * @throws TatamiException UNAVAILABLE within seconds where nobody answers, with what to do about it
     */
    TatamiClient connect() throws TatamiException {
        try {
            return TatamiClient.connect(authority, UserIdentity.of(System.getProperty("user.name")), ofCommands());
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "nobody answers at " + authority
                            + ". See that the address is the one that 'tatami start' printed (it"
                            + " is in DIR/run/ready, too), and that the server runs: tatami start standalone --data DIR,"
                            + " or start metadata",
                    e);
        }
    }

    /** Programs wait long for a cluster that is just starting; people do not. */
    static Settings ofCommands() {
        return new Settings(System::getProperty)
                .orElse(Settings.of(Map.of(ClientSettings.CONNECT_TIMEOUT.key(), "2s")));
    }
}
