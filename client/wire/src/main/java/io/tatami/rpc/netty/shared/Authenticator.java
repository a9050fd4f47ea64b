package io.tatami.rpc.netty.shared;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallContext;

/** Decides for whom a connection is, from what its client said in the handshake. */
@FunctionalInterface
public interface Authenticator {
    /**
     * Called once a connection, on an event loop: must not block.
     *
     * @throws TatamiException UNAUTHENTICATED, which the client is told before the connection is closed
     */
    UserIdentity authenticate(String scheme, ByteString credential, CallContext.Peer peer) throws TatamiException;

    /** Believes what the client says, as Hadoop does in SIMPLE mode. */
    Authenticator SIMPLE = (scheme, credential, peer) -> {
        if (!scheme.equals(UserIdentity.SIMPLE)) {
            throw new TatamiException(
                    ErrorCode.UNAUTHENTICATED,
                    "this server accepts the authentication scheme SIMPLE, not \"" + scheme + "\"");
        }
        return UserIdentity.ofSimpleCredential(credential);
    };
}
