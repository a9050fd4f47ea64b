package io.tatami.client.meta;

import com.google.protobuf.ByteString;
import io.tatami.base.SessionId;
import io.tatami.protocol.wire.OpenSessionReply;

/**
 * A session with the namespace group, and the numbers of the requests made in it.
 *
 * @param proof that it is this client's; shown with each request
 */
record Session(SessionId id, ByteString proof, RequestNumbers numbers) {
    static Session of(OpenSessionReply opened) {
        return new Session(new SessionId(opened.getSession()), opened.getProof(), new RequestNumbers());
    }

    /** For requests that need none. */
    static Session none() {
        return new Session(SessionId.NONE, ByteString.EMPTY, new RequestNumbers());
    }
}
