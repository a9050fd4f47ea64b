package io.tatami.meta.service.replicate;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Setting;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * On which port a server's replicas talk to those of other servers. It is chosen when the server is new and kept from
 * then on, because the others know the server by it.
 *
 * @param configured 0 where it follows from the metadata port
 */
public record RaftPort(int configured) {
    public static final Setting<Integer> PORT = Setting.count(
            "tatami.metadata.raft.port",
            0,
            0,
            65_535,
            "Port on which a new metadata server's replicas talk to the other servers'; kept in its directory. 0 for the"
                    + " metadata port plus 100, or for any free one where the metadata port is any.");

    public static final Setting<String> BIND_HOST = Setting.text(
            "tatami.metadata.raft.bind.host",
            "",
            "Address on which a metadata server's replicas listen, where that is not the server's --host; the other servers"
                    + " reach them at --host all the same.");

    private static final int ABOVE_METADATA_PORT = 100;

    /** What the replicas of a server listen on. */
    static String bindHost(ServerLocation location, Settings settings) throws SettingException {
        String bound = settings.get(BIND_HOST);
        return bound.isEmpty() ? location.host() : bound;
    }

    public int choose(ServerLocation location) throws TatamiException {
        if (configured != 0) {
            return configured;
        }
        if (location.port() != 0) {
            return location.port() + ABOVE_METADATA_PORT;
        }
        try (ServerSocket any = new ServerSocket()) {
            any.bind(new InetSocketAddress(location.host(), 0));
            return any.getLocalPort();
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "no free port at " + location.host() + ": " + Causes.inWords(e), e);
        }
    }
}
