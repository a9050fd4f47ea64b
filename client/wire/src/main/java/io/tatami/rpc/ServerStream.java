package io.tatami.rpc;

import com.google.protobuf.Message;

/** The server's side of an open stream; the answer of {@link Responder} ends it, after all messages sent before. */
public interface ServerStream<D extends Message, R extends Message> extends MessageSender<D>, Responder<R> {}
