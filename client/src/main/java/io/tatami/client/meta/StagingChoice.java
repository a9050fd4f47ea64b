package io.tatami.client.meta;

import io.tatami.base.ServerId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses the one server that stages a block, so that planned bytes fill all tiers evenly: the server whose tier is the
 * least full once it has the block too, counting what it was to stage before. Equal ones are chosen in the order given.
 * Depends on nothing but its calls. Used by one thread.
 */
public final class StagingChoice {
    private final Map<ServerId, Tier> tiers = new HashMap<>();
    private final Map<ServerId, Long> chosenBytes = new HashMap<>();

    /**
     * What a server said of its tier.
     *
     * @param capacityBytes 0 where it takes no plan
     * @param plannedBytes that it is to stage for other plans, or has staged for readers that have not come yet
     */
    public record Tier(long capacityBytes, long plannedBytes) {
        /** Of a server that did not answer, or has given its tier up. */
        public static final Tier NONE = new Tier(0, 0);
    }

    /** Whether something was learned of a server. */
    public boolean knows(ServerId server) {
        return tiers.containsKey(server);
    }

    /** Takes what a server said, in place of what it said before. */
    public void learn(ServerId server, Tier tier) {
        tiers.put(server, tier);
    }

    /**
     * The server that stages the next bytes. Servers of which nothing was learned count as those without a tier, which
     * are chosen only where no other is.
     *
     * @param servers at least one
     */
    public ServerId choose(List<ServerId> servers, long lengthBytes) {
        ServerId best = servers.get(0);
        for (ServerId server : servers) {
            if (fullness(server, lengthBytes) < fullness(best, lengthBytes)) {
                best = server;
            }
        }
        chosenBytes.merge(best, lengthBytes, Long::sum);
        return best;
    }

    /** The part of the tier that is spoken for once it has these bytes too; above 1 where they do not fit at once. */
    private double fullness(ServerId server, long lengthBytes) {
        Tier tier = tiers.getOrDefault(server, Tier.NONE);
        double bytes = (double) tier.plannedBytes() + chosenBytes.getOrDefault(server, 0L) + lengthBytes;
        return tier.capacityBytes() == 0 ? Double.POSITIVE_INFINITY : bytes / tier.capacityBytes();
    }
}
