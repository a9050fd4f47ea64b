package io.tatami.rpc;

import com.google.protobuf.Message;

/** Serves one method. */
@FunctionalInterface
public interface Handler<Q extends Message, R extends Message> {
    /**
     * Called on an event loop: must not block, and may answer later from another thread. An exception thrown from here
     * is logged and answered with INTERNAL.
     */
    void handle(CallContext context, Q body, Responder<R> responder);
}
