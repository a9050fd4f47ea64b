package io.tatami.server.dump;

import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.rpc.GroupLeaders;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Servers by their addresses. */
final class ServerNames {
    private ServerNames() {}

    /**
     * Each server once, though {@code localhost} and {@code 127.0.0.1} are two names of one: where two addresses lead
     * to the same place, the first is kept.
     */
    static Collection<InetSocketAddress> distinct(
            Collection<InetSocketAddress> servers, Collection<InetSocketAddress> others) {
        Map<String, InetSocketAddress> byPlace = new LinkedHashMap<>();
        servers.forEach(server -> byPlace.putIfAbsent(place(server), server));
        others.forEach(server -> byPlace.putIfAbsent(place(server), server));
        return byPlace.values();
    }

    private static String place(InetSocketAddress server) {
        InetSocketAddress resolved = new InetSocketAddress(server.getHostString(), server.getPort());
        String host = resolved.isUnresolved()
                ? server.getHostString().toLowerCase(Locale.ROOT)
                : resolved.getAddress().getHostAddress();
        return host + ":" + server.getPort();
    }

    /** For a directory of an archive. */
    static String directory(InetSocketAddress server) {
        return server.getHostString().replaceAll("[^A-Za-z0-9.-]", "_") + "_" + server.getPort();
    }

    /** The same. */
    static String directory(BlockServerInfo server) {
        return directory(GroupLeaders.address(server.getData()));
    }
}
