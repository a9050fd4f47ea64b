package io.tatami.meta.gate;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs handles and tells ours from others, by HMAC-SHA-256 (RFC 2104) under the cluster's handle key. Safe for use by
 * many threads.
 */
public final class HandleSigner {
    /** What a fresh key has. */
    public static final int KEY_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac prototype;

    public HandleSigner(ByteString key) {
        try {
            prototype = Mac.getInstance(ALGORITHM);
            prototype.init(new SecretKeySpec(key.toByteArray(), ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    public SignedHandle sign(Handle handle) {
        byte[] payload = handle.toByteArray();
        return SignedHandle.newBuilder()
                .setPayload(ByteString.copyFrom(payload))
                .setSignature(ByteString.copyFrom(hmac(payload)))
                .build();
    }

    /**
     * What was signed. Says nothing about its age.
     *
     * @throws TatamiException PERMISSION_DENIED where the signature is not ours
     */
    public Handle open(SignedHandle signed) throws TatamiException {
        byte[] payload = signed.getPayload().toByteArray();
        if (!MessageDigest.isEqual(hmac(payload), signed.getSignature().toByteArray())) {
            throw new TatamiException(ErrorCode.PERMISSION_DENIED, "the directory handle's signature is not valid");
        }
        try {
            return Handle.parseFrom(payload);
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.MALFORMED, "the directory handle does not parse", e);
        }
    }

    /** A clone of the keyed prototype costs less than keying anew, and needs no lock. */
    private byte[] hmac(byte[] payload) {
        try {
            Mac mac = (Mac) prototype.clone();
            return mac.doFinal(payload);
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("this Java cannot clone its " + ALGORITHM, e);
        }
    }
}
