package io.tatami.rpc.netty.shared;

import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * What a server says of itself.
 *
 * @param name for the clients' logs
 * @param clusterId requests for another cluster are refused
 * @param shardMapEpoch the newest shard map known here, told with every reply; 0 for none. Called on event loops
 * @param authenticator who decides for whom a connection is
 */
public record ServerIdentity(String name, UUID clusterId, LongSupplier shardMapEpoch, Authenticator authenticator) {
    /** A server that believes its clients and knows no shard map. */
    public static ServerIdentity simple(String name, UUID clusterId) {
        return new ServerIdentity(name, clusterId, () -> 0, Authenticator.SIMPLE);
    }
}
