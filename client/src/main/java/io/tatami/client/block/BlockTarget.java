package io.tatami.client.block;

import io.tatami.base.ServerId;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.WriteTarget;
import java.net.InetSocketAddress;

/** A block server and where its data port listens. */
public record BlockTarget(ServerId server, String host, int port) {
    public static BlockTarget of(BlockServerInfo info) {
        return new BlockTarget(
                new ServerId(info.getServerId()),
                info.getData().getHost(),
                info.getData().getPort());
    }

    public static BlockTarget of(WriteTarget target) {
        return new BlockTarget(new ServerId(target.getServerId()), target.getHost(), target.getPort());
    }

    public WriteTarget toWire() {
        return WriteTarget.newBuilder()
                .setServerId(server.value())
                .setHost(host)
                .setPort(port)
                .build();
    }

    /** Resolves the host; may ask a name server. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return server + "@" + host + ":" + port;
    }
}
