package io.tatami.block.service.registration;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Audience;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallerCheck;
import java.security.MessageDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What metadata servers show this block server, and how that keeps everybody else from the methods that are not for
 * users. Learned from the namespace group with each heartbeat and kept in memory only: a server that knows nothing of
 * it yet does nothing that metadata servers ask. Once another process is the block server, nobody is answered here any
 * more. Safe for use by many threads.
 */
public final class MetadataCredential implements CallerCheck {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataCredential.class);

    private volatile ByteString known = ByteString.EMPTY;
    private volatile boolean warned;
    private volatile boolean superseded;

    /** Another process has registered as this block server: nobody is to take what is here for the server's blocks. */
    public void supersede() {
        superseded = true;
    }

    /** @param told empty from a namespace leader of a release that knows no such credential; changes nothing then */
    public void learn(ByteString told) {
        if (!told.isEmpty()) {
            known = told;
        } else if (known.isEmpty() && !warned) {
            warned = true;
            LOG.warn("the namespace's leader gives no credential of metadata servers, so what they ask is refused:"
                    + " blocks are neither deleted nor recovered here; upgrade all metadata servers");
        }
    }

    @Override
    public void require(String method, Audience audience, CallContext caller) throws TatamiException {
        if (superseded) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    method + " is not served here any more: another process is this block server now");
        }
        switch (audience) {
            case USERS -> {}
            // A block server knows no superuser: what only that user may do is asked of a metadata server.
            case SUPERUSER, SERVERS -> requireMetadataServer(method, caller.credential());
        }
    }

    private void requireMetadataServer(String method, ByteString shown) throws TatamiException {
        if (shown.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    method + " is only for metadata servers of the cluster, and the request shows no credential of one;"
                            + " upgrade the metadata servers before the block servers");
        }
        ByteString expected = known;
        if (expected.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "this block server cannot tell metadata servers from others yet, so " + method
                            + " waits until the namespace group has answered its first heartbeat; ask again");
        }
        if (!MessageDigest.isEqual(expected.toByteArray(), shown.toByteArray())) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    method + " is only for metadata servers of the cluster, and what the request shows is not their"
                            + " credential for this block server; upgrade the metadata servers before the block"
                            + " servers");
        }
    }
}
