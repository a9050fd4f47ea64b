package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.util.UUID;

/**
 * How one metadata server knows another: both have the cluster's handle key, which no client has. What is signed is no
 * handle of any directory, so neither can stand for the other.
 */
final class ServiceCredential {
    private final ByteString bytes;

    ServiceCredential(HandleSigner signer, UUID cluster) {
        SignedHandle signed =
                signer.sign(Handle.newBuilder().setUser("service of " + cluster).build());
        this.bytes = signed.getSignature();
    }

    ByteString bytes() {
        return bytes;
    }

    boolean matches(ByteString credential) {
        return java.security.MessageDigest.isEqual(bytes.toByteArray(), credential.toByteArray());
    }
}
