package io.tatami.protocol;

import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tatami.base.Check;

/**
 * A kind of request that stays open: after it, both sides send messages with raw payloads until the server ends the
 * stream with a reply. Numbered together with {@link Method}.
 *
 * @param number above 0, one number space for all methods of all services
 * @param audience who may call it
 * @param effect what it does to the stored blocks
 * @param <Q> opens the stream
 * @param <U> goes up, from client to server
 * @param <D> goes down, from server to client
 * @param <R> ends the stream
 */
public record StreamMethod<Q extends Message, U extends Message, D extends Message, R extends Message>(
        int number,
        String name,
        Audience audience,
        Effect effect,
        Parser<Q> requestParser,
        Parser<U> upParser,
        Parser<D> downParser,
        Parser<R> replyParser) {
    public StreamMethod {
        Check.check(number > 0, "method number %d is not above 0", number);
    }

    @Override
    public String toString() {
        return name;
    }
}
