package io.tatami.meta.op;

import com.google.protobuf.Message;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.RequestContext;

/**
 * An operation of a metadata group, as a pure function: the changes it makes are those it writes into the state's
 * draft, and the same state, context and request always give the same changes and reply. It reads no clock, no random
 * numbers and no device of its own, and keeps nothing between calls, so one instance serves all requests.
 *
 * @param <S> the state of the kind of group it runs in
 */
public interface Operation<S, Q extends Message, R extends Message> {
    /**
     * Decides a request.
     *
     * @throws TatamiException the request is refused; the draft is dropped, so nothing of it remains
     * @throws UnsettledException another group must be asked first; the draft is dropped and the request decided anew
     *     once it has answered
     */
    R decide(S state, RequestContext context, Q request) throws TatamiException, UnsettledException;

    /**
     * Whether the request is likely to change nothing but {@linkplain io.tatami.meta.state.Keys#isVolatile volatile}
     * records: then it is tried as it arrives, ahead of those that wait for a device.
     */
    default boolean isPassing(Q request) {
        return false;
    }
}
