package io.tatami.rpc.netty.client;

import io.tatami.base.Clock;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.SocketAddress;

/**
 * What a client connects to, and as whom.
 *
 * @param server what the connection is to, in the words of who asked for it
 * @param address where the server listens: its own, or that of a socket for this host
 * @param directMax how many {@link DirectConnections} there may be beside it
 */
public record ConnectTarget(
        SocketAddress server,
        SocketAddress address,
        ClientIdentity identity,
        RpcSettings settings,
        Clock clock,
        int directMax) {}
