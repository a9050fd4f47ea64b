package io.tatami.meta.gate;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.Right;
import io.tatami.meta.state.wire.SignedRight;
import java.util.List;

/**
 * What one group has found that a caller may see, signed, so that another group need not find it again: permissions are
 * where names are, and what they protect is partly elsewhere. A right lives longer than any operation of a client and
 * not much longer, because nothing takes it back; one that is too old is as good as none. Safe for use by many threads.
 */
public final class Rights {
    /** More than a client waits for an operation, and clocks differ. */
    static final long LIFE_MILLIS = 10 * 60_000;

    private final KeyedHash hash;

    Rights(KeyedHash hash) {
        this.hash = hash;
    }

    /** How much a right shows of a file at its home; each includes those before it. */
    public enum Sight {
        LENGTH,
        LOCATIONS,
        CONTENT
    }

    /** To see a file at its home. */
    public ByteString ofFile(Caller caller, FileId file, Sight sight, long nowMillis) {
        return signed(Right.newBuilder()
                .setUser(caller.user())
                .setExpiresMillis(nowMillis + LIFE_MILLIS)
                .setFileId(file.value())
                .setLocations(sight != Sight.LENGTH)
                .setContent(sight == Sight.CONTENT)
                .build());
    }

    /** To see when something changed last in directories that the caller can reach. */
    public ByteString ofDirectories(Caller caller, List<Long> directories, long nowMillis) {
        return signed(Right.newBuilder()
                .setUser(caller.user())
                .setExpiresMillis(nowMillis + LIFE_MILLIS)
                .addAllDirectoryId(directories)
                .build());
    }

    /** As {@link #ofDirectories} with a single one. */
    public ByteString ofDirectory(Caller caller, DirectoryId directory, long nowMillis) {
        return ofDirectories(caller, List.of(directory.value()), nowMillis);
    }

    /**
     * What a request's right says: nothing where it has none or an old one.
     *
     * @throws TatamiException PERMISSION_DENIED where it was not signed by us or was made for another user
     */
    public Right of(RequestContext context, ByteString token) throws TatamiException {
        if (token.isEmpty()) {
            return Right.getDefaultInstance();
        }
        Right right = open(token);
        if (!right.getUser().equals(context.caller().user())) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "a right of " + right.getUser() + " was used by "
                            + context.caller().user());
        }
        return right.getExpiresMillis() > context.nowMillis() ? right : Right.getDefaultInstance();
    }

    private ByteString signed(Right right) {
        byte[] payload = right.toByteArray();
        return SignedRight.newBuilder()
                .setPayload(ByteString.copyFrom(payload))
                .setSignature(ByteString.copyFrom(hash.of(payload)))
                .build()
                .toByteString();
    }

    private Right open(ByteString token) throws TatamiException {
        try {
            SignedRight signed = SignedRight.parseFrom(token);
            if (!hash.matches(signed.getPayload().toByteArray(), signed.getSignature())) {
                throw new TatamiException(ErrorCode.PERMISSION_DENIED, "the right's signature is not valid");
            }
            return Right.parseFrom(signed.getPayload());
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.MALFORMED, "the right cannot be parsed", e);
        }
    }
}
