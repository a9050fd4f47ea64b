package io.tatami.client.meta;

import io.tatami.protocol.wire.BlockServerInfo;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells which block servers run on this host. Safe for use by many threads. */
public final class LocalHost {
    private static final Logger LOG = LoggerFactory.getLogger(LocalHost.class);

    private final String name;
    private final Set<InetAddress> addresses;
    private final Map<String, Boolean> isLocalByHost = new ConcurrentHashMap<>();

    /** @param name as the cluster calls this host; empty for what the system says */
    public LocalHost(String name) {
        this.name = name.isEmpty() ? systemName() : name;
        this.addresses = ownAddresses();
    }

    /** May be empty. */
    String name() {
        return name;
    }

    boolean isHostOf(BlockServerInfo server) {
        return server.getHost().equals(name)
                || isLocalByHost.computeIfAbsent(server.getData().getHost(), this::isLocal);
    }

    private boolean isLocal(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            return address.isLoopbackAddress() || addresses.contains(address);
        } catch (UnknownHostException e) {
            LOG.debug("{} has no address here, so it is taken for another host", host, e);
            return false;
        }
    }

    private static Set<InetAddress> ownAddresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            LOG.warn("The addresses of this host are not known: local block servers are taken for remote ones", e);
            return Set.of();
        }
    }

    private static String systemName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            LOG.debug("This host's name has no address", e);
            return "";
        }
    }
}
