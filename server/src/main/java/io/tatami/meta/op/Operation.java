package io.tatami.meta.op;

import com.google.protobuf.Message;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.RequestContext;

/**
 * An operation of a metadata group, as a pure function. Its changes are what it writes into the state's draft. The same
 * state, context and request always give the same changes and reply. It reads no clock, no random numbers and no
 * device, and keeps nothing between calls, so one instance serves all requests.
 *
 * @param <S> the state of the kind of group it runs in
 */
public interface Operation<S, Q extends Message, R extends Message> {
    /**
     * Decides a request.
     *
     * @throws TatamiException the request is refused; the draft is dropped
     * @throws UnsettledException another group must be asked first; the draft is dropped, and the request is decided
     *     anew after the answer
     */
    R decide(S state, RequestContext context, Q request) throws TatamiException, UnsettledException;

    /**
     * Whether the request probably changes {@linkplain io.tatami.meta.state.Keys#isVolatile volatile} records only. It
     * is then tried on arrival, ahead of requests that wait for a device.
     */
    default boolean mayChangeVolatileOnly(Q request) {
        return false;
    }
}
