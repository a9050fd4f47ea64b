package io.tatami.rpc;

import com.google.protobuf.Message;

/** Serves one method whose requests stay open. */
@FunctionalInterface
public interface StreamHandler<Q extends Message, U extends Message, D extends Message, R extends Message> {
    /**
     * Called on an event loop: must not block.
     *
     * @return what hears the client's messages on this stream
     */
    StreamReceiver<U> open(CallContext context, Q body, ServerStream<D, R> stream);
}
