package io.tatami.client.meta;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order in which this client reads the copies of a block: servers in doubt last, the nearest first, of these the
 * least loaded, and among equals another first for each block and client, so that readers spread. Safe for use by many
 * threads.
 */
public final class ReadOrder {
    private static final BlockServers.Health[] HEALTHS = BlockServers.Health.values();
    private static final long[] NO_KEYS = {};
    private static final int DISTANCES = BlockServers.Distance.values().length;

    /**
     * Of servers with fewer streams none is loaded; each class of load begins at four times the streams of the last.
     */
    private static final int LOADED_STREAMS = 32;

    private static final int LOADS = 5;

    private final BlockServers servers;
    private final SuspectServers suspects;
    private final long clientSalt;

    /** @param clientSalt another one for each client, chosen at random */
    public ReadOrder(BlockServers servers, SuspectServers suspects, long clientSalt) {
        this.servers = servers;
        this.suspects = suspects;
        this.clientSalt = clientSalt;
    }

    public SuspectServers suspects() {
        return suspects;
    }

    /** @param holders the servers that hold the block */
    public List<ServerId> of(BlockId block, List<ServerId> holders) {
        return order(block, holders, true).servers;
    }

    /**
     * Copies in the order in which they are read.
     *
     * @param whyNotLocal why none on this host comes first by nearness; null where one does
     */
    public record Choice(List<ServerId> servers, @Nullable Reason whyNotLocal) {}

    /** {@link #of}, with the reason for the order. */
    public Choice choose(BlockId block, List<ServerId> holders) {
        Ranking ranking = order(block, holders, true);
        for (int i = 0; i < ranking.servers.size(); i++) {
            ServerId server = ranking.servers.get(i);
            if (ranking.distance(i) == BlockServers.Distance.HOST.ordinal()) {
                return new Choice(ranking.servers, whyBehind(server, HEALTHS[ranking.health(i)]));
            }
        }
        return new Choice(ranking.servers, servers.anyOnHost() ? Reason.NO_LOCAL_COPY : Reason.NO_SERVER_ON_HOST);
    }

    private @Nullable Reason whyBehind(ServerId server, BlockServers.Health health) {
        return switch (health) {
            case SOUND -> null;
            case LEAVING -> Reason.LOCAL_LEAVING;
            case STALE, LOST -> Reason.LOCAL_DEAD;
            case SUSPECT ->
                switch (suspects.cause(server)) {
                    case STALLED -> Reason.LOCAL_SLOW;
                    case UNREACHED -> Reason.LOCAL_DEAD;
                    case FAILED -> Reason.LOCAL_FAILED;
                };
        };
    }

    /**
     * The servers that may stage a block: of those with a cache tier all that are equally sound by the map; where none
     * has a tier, all. The first is the first of these for a reader of whom nothing is known, and the same for every
     * client.
     */
    public List<ServerId> stagers(BlockId block, List<ServerId> holders) {
        List<ServerId> order = order(block, holders, false).servers;
        List<ServerId> caches = order.stream().filter(servers::hasCache).toList();
        List<ServerId> able = caches.isEmpty() ? order : caches;
        return able.stream()
                .takeWhile(server -> rank(server, false) == rank(able.get(0), false))
                .toList();
    }

    /**
     * The servers with a cache tier among the first of an order, where there are others that are as near and as sound:
     * the reader may as well begin with any of these.
     *
     * @param order as {@link #of} gave it
     */
    public List<ServerId> equallyGoodCaches(List<ServerId> order) {
        if (order.size() <= 1) {
            return List.of();
        }
        List<ServerId> equal = order.stream()
                .takeWhile(server -> rank(server, true) == rank(order.get(0), true))
                .toList();
        return equal.size() <= 1
                ? List.of()
                : equal.stream().filter(servers::hasCache).toList();
    }

    /** Servers in their order, and the keys that made it; where there is no choice, neither health nor load counts. */
    private final class Ranking {
        private final List<ServerId> servers;
        private final long[] keys;

        Ranking(List<ServerId> servers, long[] keys) {
            this.servers = servers;
            this.keys = keys;
        }

        int health(int at) {
            return keys.length == 0 ? BlockServers.Health.SOUND.ordinal() : rank(at) / DISTANCES;
        }

        int distance(int at) {
            return keys.length == 0
                    ? ReadOrder.this.servers.distance(servers.get(at)).ordinal()
                    : rank(at) % DISTANCES;
        }

        private int rank(int at) {
            return (int) (keys[at] >>> Integer.SIZE) / LOADS;
        }
    }

    private Ranking order(BlockId block, List<ServerId> holders, boolean forThisClient) {
        int count = holders.size();
        if (count <= 1) {
            return new Ranking(holders, NO_KEYS);
        }
        // Where bytes may be staged, readers of the same distance go to the server that the plan names.
        boolean spreads = forThisClient && !anyCache(holders);
        long blockSalt = mix(block.value() ^ (spreads ? clientSalt : 0));
        List<ServerId> order = new ArrayList<>(count);
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            ServerId server = holders.get(i);
            int rank = rank(server, forThisClient) * LOADS + (spreads ? load(servers.streams(server)) : 0);
            long key = ((long) rank << Integer.SIZE) | mix(blockSalt + server.value()) >>> Integer.SIZE;
            int at = i;
            while (at > 0 && keys[at - 1] > key) {
                keys[at] = keys[at - 1];
                at--;
            }
            keys[at] = key;
            order.add(at, server);
        }
        return new Ranking(order, keys);
    }

    private boolean anyCache(List<ServerId> holders) {
        for (ServerId server : holders) {
            if (servers.hasCache(server)) {
                return true;
            }
        }
        return false;
    }

    private int rank(ServerId server, boolean forThisClient) {
        int health = servers.health(server).ordinal();
        if (!forThisClient) {
            return health;
        }
        if (suspects.isSuspect(server)) {
            health = Math.max(health, BlockServers.Health.SUSPECT.ordinal());
        }
        return health * DISTANCES + servers.distance(server).ordinal();
    }

    /** The class of load, from 0 on. Coarse, as the map is seconds old, and a copy that was read is in memory. */
    private static int load(int streams) {
        int times = Integer.divideUnsigned(streams, LOADED_STREAMS);
        int doublings = Integer.SIZE - Integer.numberOfLeadingZeros(times);
        return Math.min(LOADS - 1, (doublings + 1) / 2);
    }

    /** The finalizer of SplitMix64: every bit of the result depends on every bit of the value. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
