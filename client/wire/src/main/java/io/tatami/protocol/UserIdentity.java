package io.tatami.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.SimpleIdentity;

/**
 * Who a request is made for.
 *
 * @param user whose rights are checked; never empty
 * @param realUser who acts for the user, as with Hadoop's proxy users; empty for the user in person
 */
public record UserIdentity(String user, String realUser) {
    /** The scheme under which an identity is believed without proof. */
    public static final String SIMPLE = "SIMPLE";

    public static UserIdentity of(String user) {
        return new UserIdentity(user, "");
    }

    /** The credential of the scheme {@link #SIMPLE}. */
    public ByteString toSimpleCredential() {
        return SimpleIdentity.newBuilder()
                .setUser(user)
                .setRealUser(realUser)
                .build()
                .toByteString();
    }

    /**
     * What {@link #toSimpleCredential} made.
     *
     * @throws TatamiException UNAUTHENTICATED when the bytes are something else or name no user
     */
    public static UserIdentity ofSimpleCredential(ByteString credential) throws TatamiException {
        try {
            SimpleIdentity identity = SimpleIdentity.parseFrom(credential);
            if (identity.getUser().isEmpty()) {
                throw new TatamiException(ErrorCode.UNAUTHENTICATED, "the credential contains no user name");
            }
            return new UserIdentity(identity.getUser(), identity.getRealUser());
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(
                    ErrorCode.UNAUTHENTICATED, "the credential cannot be parsed as a SIMPLE identity", e);
        }
    }
}
