package io.tatami.client.meta;

import io.tatami.protocol.wire.BlockServerInfo;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which block servers run on this host. Every loopback address is this host's, with one exception: where this
 * host was given a name whose address is a loopback address other than 127.0.0.1, several hosts share the machine, and
 * such an address is local only if it is the one of that name. Safe for use by many threads.
 */
public final class LocalHost {
    /** The variable of the environment that names this host where no setting does. */
    public static final String ENVIRONMENT_NAME = "TATAMI_CLIENT_HOST";

    private static final Logger LOG = LoggerFactory.getLogger(LocalHost.class);

    private final String name;
    private final String rack;
    private final boolean sharesMachine;
    private final Set<InetAddress> addresses;
    private final Map<String, Boolean> isLocalByHost = new ConcurrentHashMap<>();

    /**
     * @param name as the cluster calls this host; empty for {@link #ENVIRONMENT_NAME}, or else what the system says
     * @param rack as the cluster calls it; empty for the rack of this host's block server
     */
    public LocalHost(String name, String rack) {
        this(name, rack, System.getenv(ENVIRONMENT_NAME));
    }

    LocalHost(String name, String rack, @Nullable String environmentName) {
        String given = name.isEmpty() && environmentName != null ? environmentName : name;
        Set<InetAddress> named = given.isEmpty() ? Set.of() : addressesOf(given);
        this.sharesMachine = named.stream().anyMatch(LocalHost::isOneOfMany);
        this.name = given.isEmpty() ? systemName() : given;
        this.rack = rack;
        this.addresses = sharesMachine ? named : ownAddresses();
    }

    /** May be empty. */
    String name() {
        return name;
    }

    /** This host's rack: the one it was given, else that of a server of the host's name; empty where there is none. */
    String rack(Collection<BlockServerInfo> servers) {
        if (!rack.isEmpty()) {
            return rack;
        }
        // By the name alone: nobody waits for the addresses of all hosts of a cluster to be looked up.
        return servers.stream()
                .filter(server -> server.getHost().equals(name))
                .map(BlockServerInfo::getRack)
                .findFirst()
                .orElse("");
    }

    boolean isHostOf(BlockServerInfo server) {
        return server.getHost().equals(name)
                || isLocalByHost.computeIfAbsent(server.getData().getHost(), this::isLocal);
    }

    /** {@link #isHostOf}, but false where a name server would have to be asked for a name unlike this host's. */
    boolean isPlainlyHostOf(BlockServerInfo server) {
        String host = server.getData().getHost();
        Boolean known = isLocalByHost.get(host);
        if (known != null) {
            return known || server.getHost().equals(name);
        }
        boolean isCheap =
                isAddress(host) || host.equals("localhost") || firstLabel(host).equals(firstLabel(name));
        return server.getHost().equals(name) || (isCheap && isHostOf(server));
    }

    private static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }

    private static String firstLabel(String host) {
        int dot = host.indexOf('.');
        return dot < 0 ? host : host.substring(0, dot);
    }

    private boolean isLocal(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            boolean isLoopback = address.isLoopbackAddress() && !(sharesMachine && isOneOfMany(address));
            return isLoopback || addresses.contains(address);
        } catch (UnknownHostException e) {
            LOG.debug("{} has no address here, so it is taken for another host", host, e);
            return false;
        }
    }

    private static boolean isOneOfMany(InetAddress address) {
        return address instanceof Inet4Address
                && address.isLoopbackAddress()
                && !address.getHostAddress().equals("127.0.0.1");
    }

    private static Set<InetAddress> addressesOf(String host) {
        try {
            return Set.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            LOG.debug("{}, the name given to this host, has no address here", host, e);
            return Set.of();
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
