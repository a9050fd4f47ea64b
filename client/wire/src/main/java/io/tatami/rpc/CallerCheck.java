package io.tatami.rpc;

import io.tatami.base.TatamiException;
import io.tatami.protocol.Audience;

/** Whether a caller belongs to the audience of a method. Safe for use by many threads. */
@FunctionalInterface
public interface CallerCheck {
    /** Refuses nobody: the handlers check their callers themselves. */
    CallerCheck NONE = (method, audience, caller) -> {};

    /**
     * Called on an event loop, before anything of the request is looked at: must not block.
     *
     * @param method for the message of a refusal
     * @throws TatamiException the answer to a caller that may not use the method
     */
    void require(String method, Audience audience, CallContext caller) throws TatamiException;
}
