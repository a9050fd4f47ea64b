package io.tatami.client.meta;

import io.tatami.base.SessionId;

/** A session with the namespace group, and the numbers of the requests made in it. */
record Session(SessionId id, RequestNumbers numbers) {
    static Session of(long id) {
        return new Session(new SessionId(id), new RequestNumbers());
    }
}
