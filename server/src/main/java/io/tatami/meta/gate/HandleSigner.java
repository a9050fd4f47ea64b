package io.tatami.meta.gate;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Signs handles and tells ours from others, by HMAC-SHA-256 (RFC 2104) under the cluster's handle key. Safe for use by
 * many threads.
 */
public final class HandleSigner {
    /** What a fresh key has. */
    public static final int KEY_BYTES = 32;

    /** What the key of rights is derived by; a right can never be taken for a handle, nor a handle for a right. */
    private static final byte[] OF_RIGHTS = "key of rights".getBytes(StandardCharsets.US_ASCII);

    /** As {@link #OF_RIGHTS}, for proofs of sessions. */
    private static final byte[] OF_SESSIONS = "key of sessions".getBytes(StandardCharsets.US_ASCII);

    /** As {@link #OF_RIGHTS}, for what metadata servers show block servers. */
    private static final byte[] OF_BLOCK_SERVERS = "key of block servers".getBytes(StandardCharsets.US_ASCII);

    /** A power of two. */
    private static final int RECENT = 4_096;

    private final KeyedHash hash;
    private final Rights rights;
    private final SessionProofs sessions;
    private final BlockServerCredentials blockServers;

    /**
     * Handles that were found to be ours, by their signature, each in one of two places next to each other: a client
     * shows the same one with every request. Threads may overwrite each other's, as a handle that is not found here is
     * only checked again; records are safe to share that way.
     */
    private final @Nullable Opened[] recent = new @Nullable Opened[RECENT];

    private record Opened(SignedHandle signed, Handle handle) {}

    public HandleSigner(ByteString key) {
        this.hash = new KeyedHash(key.toByteArray());
        this.rights = new Rights(new KeyedHash(hash.of(OF_RIGHTS)));
        this.sessions = new SessionProofs(new KeyedHash(hash.of(OF_SESSIONS)));
        this.blockServers = new BlockServerCredentials(new KeyedHash(hash.of(OF_BLOCK_SERVERS)));
    }

    /** Rights under the same cluster's key. */
    public Rights rights() {
        return rights;
    }

    /** Proofs of sessions under the same cluster's key. */
    public SessionProofs sessions() {
        return sessions;
    }

    /** What metadata servers show block servers, under the same cluster's key. */
    public BlockServerCredentials blockServers() {
        return blockServers;
    }

    public SignedHandle sign(Handle handle) {
        byte[] payload = handle.toByteArray();
        return SignedHandle.newBuilder()
                .setPayload(ByteString.copyFrom(payload))
                .setSignature(ByteString.copyFrom(hash.of(payload)))
                .build();
    }

    /**
     * What was signed. Says nothing about its age.
     *
     * @throws TatamiException PERMISSION_DENIED where the signature is not ours
     */
    public Handle open(SignedHandle signed) throws TatamiException {
        int place = signed.getSignature().hashCode() & (RECENT - 1);
        int other = place ^ 1;
        Opened known = recent[place];
        if (known != null && known.signed().equals(signed)) {
            return known.handle();
        }
        Opened elsewhere = recent[other];
        if (elsewhere != null && elsewhere.signed().equals(signed)) {
            return elsewhere.handle();
        }
        byte[] payload = signed.getPayload().toByteArray();
        if (!hash.matches(payload, signed.getSignature())) {
            throw new TatamiException(ErrorCode.PERMISSION_DENIED, "the directory handle's signature is not valid");
        }
        try {
            Handle handle = Handle.parseFrom(payload);
            recent[place] = new Opened(signed, handle);
            if (known != null) {
                recent[other] = known;
            }
            return handle;
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.MALFORMED, "the directory handle cannot be parsed", e);
        }
    }
}
