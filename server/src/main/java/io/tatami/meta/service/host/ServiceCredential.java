package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import io.tatami.base.ServerId;
import io.tatami.meta.gate.BlockServerCredentials;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.security.MessageDigest;
import java.util.UUID;

/**
 * How one metadata server knows another: both have the cluster's handle key, which no client has. What is signed is no
 * handle of any directory, so neither can stand for the other. A block server has no such key, is shown a credential of
 * its own, and never hears the one of the metadata servers.
 */
final class ServiceCredential {
    private final ByteString bytes;
    private final BlockServerCredentials blockServers;

    ServiceCredential(HandleSigner signer, UUID cluster) {
        SignedHandle signed =
                signer.sign(Handle.newBuilder().setUser("service of " + cluster).build());
        this.bytes = signed.getSignature();
        this.blockServers = signer.blockServers();
    }

    /** What another metadata server is shown. */
    ByteString bytes() {
        return bytes;
    }

    /** What a block server is shown. */
    ByteString toBlockServer(ServerId server) {
        return blockServers.of(server);
    }

    boolean matches(ByteString credential) {
        return MessageDigest.isEqual(bytes.toByteArray(), credential.toByteArray());
    }
}
