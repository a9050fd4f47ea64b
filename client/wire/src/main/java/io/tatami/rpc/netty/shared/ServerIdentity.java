package io.tatami.rpc.netty.shared;

import java.util.UUID;

/**
 * What a server says of itself.
 *
 * @param name for the clients' logs
 * @param clusterId requests for another cluster are refused
 * @param authenticator who decides for whom a connection is
 */
public record ServerIdentity(String name, UUID clusterId, Authenticator authenticator) {
    /** A server that believes its clients. */
    public static ServerIdentity simple(String name, UUID clusterId) {
        return new ServerIdentity(name, clusterId, Authenticator.SIMPLE);
    }
}
