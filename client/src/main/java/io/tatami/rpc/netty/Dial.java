package io.tatami.rpc.netty;

import io.tatami.base.Clock;
import java.net.SocketAddress;

/**
 * What a client connects to, and as whom.
 *
 * @param server what the connection is to, in the words of who asked for it
 * @param address where the server listens: its own, or that of a socket for this host
 * @param directMax how many {@link DirectConnections} there may be beside it
 */
record Dial(
        SocketAddress server,
        SocketAddress address,
        ClientIdentity identity,
        RpcSettings settings,
        Clock clock,
        int directMax) {}
