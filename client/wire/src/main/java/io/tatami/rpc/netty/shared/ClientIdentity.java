package io.tatami.rpc.netty.shared;

import com.google.protobuf.ByteString;
import io.tatami.protocol.UserIdentity;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a client says of itself when it connects.
 *
 * @param name for the server's logs
 * @param clusterId the only cluster it wants to talk to; null while it knows none
 * @param authScheme how the server is to read the credential
 * @param credential who the connection is for
 */
public record ClientIdentity(String name, @Nullable UUID clusterId, String authScheme, ByteString credential) {
    /** A client that is believed who it is, of a cluster it does not know yet. */
    public static ClientIdentity simple(String name, UserIdentity user) {
        return new ClientIdentity(name, null, UserIdentity.SIMPLE, user.toSimpleCredential());
    }

    /** The same client, which refuses any other cluster. */
    public ClientIdentity of(UUID cluster) {
        return new ClientIdentity(name, cluster, authScheme, credential);
    }
}
