package io.tatami.cluster;

import io.tatami.base.ServerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The block servers of a cluster at one moment, as the copies of blocks are judged by them. Immutable; safe for use by
 * many threads.
 */
public final class ServersView {
    /** Above this part of its capacity a server is given no copies, so that its writers have room. */
    private static final double USED_MAX = 0.9;

    private final Map<ServerId, Server> servers = new HashMap<>();
    private final Set<String> usableRacks = new HashSet<>();
    private final List<Server> usable;
    private final int hosts;
    private final boolean braked;

    /** @param braked so many servers are silent that no copies are made, see {@link CopyJudge} */
    public ServersView(Collection<Server> servers, boolean braked) {
        servers.forEach(server -> this.servers.put(server.id(), server));
        this.usable = servers.stream().filter(Server::takesCopies).toList();
        this.usable.forEach(server -> usableRacks.add(server.rack()));
        this.hosts = (int) servers.stream()
                .filter(server -> !server.toBeEmptied())
                .map(Server::host)
                .distinct()
                .count();
        this.braked = braked;
    }

    /** How a server stands. */
    public enum Standing {
        /** It serves. */
        SERVES,
        /** It serves, and is to have no blocks: its copies are sources only. */
        DRAINING,
        /** It may go, and an administrator has said that it will be back. */
        MAINTENANCE,
        /** As {@link #MAINTENANCE}, and it is away: its copies cannot be read. */
        AWAY,
        /** It is silent, not for so long that its blocks are copied. */
        SILENT,
        /** It is silent for so long that its blocks are copied, or it was given up. */
        LOST
    }

    /**
     * One server.
     *
     * @param host the name of its host
     * @param usedBytes of {@code capacityBytes}
     * @param toBeEmptied it is to have no blocks, however it stands
     */
    public record Server(
            ServerId id,
            String host,
            String rack,
            Standing standing,
            long capacityBytes,
            long usedBytes,
            boolean toBeEmptied) {
        /** One that may have blocks, unless it is draining. */
        public Server(ServerId id, String host, String rack, Standing standing, long capacityBytes, long usedBytes) {
            this(id, host, rack, standing, capacityBytes, usedBytes, standing == Standing.DRAINING);
        }

        Server with(long used) {
            return new Server(id, host, rack, standing, capacityBytes, used, toBeEmptied);
        }

        /** Whether copies may be put there. */
        public boolean takesCopies() {
            return standing == Standing.SERVES && !toBeEmptied && usedBytes < capacityBytes * USED_MAX;
        }

        /** The part of its room that is used, from 0 to 1; 1 where it has no room, or does not tell. */
        double usedPart() {
            return capacityBytes <= 0 ? 1 : Math.min(1, (double) usedBytes / capacityBytes);
        }

        long freeBytes() {
            return Math.max(0, capacityBytes - usedBytes);
        }
    }

    /** Null for a server that the cluster does not know. */
    public @Nullable Server server(ServerId id) {
        return servers.get(id);
    }

    /** A server that the cluster does not know is lost. */
    Standing standing(ServerId id) {
        Server server = servers.get(id);
        return server == null ? Standing.LOST : server.standing();
    }

    /** The servers that may be given copies. */
    List<Server> usable() {
        return usable;
    }

    /** The servers that serve, and tell how full they are. */
    List<Server> serving() {
        return servers.values().stream()
                .filter(server -> server.standing() == Standing.SERVES && server.capacityBytes() > 0)
                .sorted(Comparator.comparing(server -> server.id().value()))
                .toList();
    }

    /** The same servers, where some have moved from one to another. */
    ServersView moved(ServerId from, ServerId to, long bytes) {
        List<Server> now = new ArrayList<>(servers.size());
        for (Server server : servers.values()) {
            long change = server.id().equals(from) ? -bytes : server.id().equals(to) ? bytes : 0;
            now.add(change == 0 ? server : server.with(Math.max(0, server.usedBytes() + change)));
        }
        return new ServersView(now, braked);
    }

    /** Whether servers in more than one rack may be given copies. */
    boolean hasSeveralRacks() {
        return usableRacks.size() > 1;
    }

    /** The same of servers that are silent for a while, or full: racks do not come and go with them. */
    public boolean mayHaveSeveralRacks() {
        return servers.values().stream()
                        .filter(server -> server.standing() != Standing.LOST && !server.toBeEmptied())
                        .map(Server::rack)
                        .distinct()
                        .count()
                > 1;
    }

    boolean isBraked() {
        return braked;
    }

    /** The same servers, without the brake. */
    ServersView unbraked() {
        return new ServersView(servers.values(), false);
    }

    /** On how many hosts copies of one block can be in the end. One that is silent or lost counts until given up. */
    int hosts() {
        return hosts;
    }
}
