package io.tatami.meta.gate;

import com.google.protobuf.ByteString;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA-256 (RFC 2104) under one key. Safe for use by many threads. */
final class KeyedHash {
    private static final String ALGORITHM = "HmacSHA256";

    private final Mac prototype;

    KeyedHash(byte[] key) {
        try {
            prototype = Mac.getInstance(ALGORITHM);
            prototype.init(new SecretKeySpec(key, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    /** A clone of the keyed prototype costs less than keying anew, and needs no lock. */
    byte[] of(byte[] payload) {
        try {
            Mac mac = (Mac) prototype.clone();
            return mac.doFinal(payload);
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("this Java cannot clone its " + ALGORITHM, e);
        }
    }

    /** Takes the same time whatever the difference is. */
    boolean matches(byte[] payload, ByteString signature) {
        return MessageDigest.isEqual(of(payload), signature.toByteArray());
    }
}
