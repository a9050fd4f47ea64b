package io.tatami.meta.gate;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Proofs that a session was opened by a user, which a client shows with every request of the session. Every server of
 * the cluster can tell them, so no group needs a record of a session to know whose it is, and a number that nobody was
 * given is no session anywhere. Safe for use by many threads.
 */
public final class SessionProofs {
    /** A power of two. */
    private static final int RECENT = 4_096;

    private final KeyedHash hash;

    /** Proofs that were found to be ours, by session; threads may overwrite each other's. */
    private final @Nullable Known[] recent = new @Nullable Known[RECENT];

    private record Known(SessionId session, String user, ByteString proof) {}

    SessionProofs(KeyedHash hash) {
        this.hash = hash;
    }

    public ByteString of(SessionId session, String user) {
        return ByteString.copyFrom(hash.of(payload(session, user)));
    }

    /**
     * @throws TatamiException NO_SUCH_SESSION where the proof is not that of the session and the user; it is the same
     *     whether the session is somebody else's or nobody's
     */
    public void require(SessionId session, String user, ByteString proof) throws TatamiException {
        int place = Long.hashCode(session.value()) & (RECENT - 1);
        Known known = recent[place];
        if (known != null
                && known.session().equals(session)
                && known.user().equals(user)
                && known.proof().equals(proof)) {
            return;
        }
        if (!hash.matches(payload(session, user), proof)) {
            throw new TatamiException(
                    ErrorCode.NO_SUCH_SESSION, "user " + user + " has no session " + session + "; open one");
        }
        recent[place] = new Known(session, user, proof);
    }

    private static byte[] payload(SessionId session, String user) {
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + name.length)
                .putLong(session.value())
                .put(name)
                .array();
    }
}
