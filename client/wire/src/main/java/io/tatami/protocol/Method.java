package io.tatami.protocol;

import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tatami.base.Check;

/**
 * A kind of request with one reply. Tables of methods are constants of this type, and the numbers are part of the
 * protocol: never reused, and shared with {@link StreamMethod}.
 *
 * @param number above 0, one number space for all methods of all services
 * @param name for logs and metrics, such as {@code namespace.resolve}
 * @param audience who may call it
 * @param effect what it does to the metadata
 * @param idempotent whether doing it twice is the same as doing it once, so that it may be sent again without a request
 *     number
 */
public record Method<Q extends Message, R extends Message>(
        int number,
        String name,
        Audience audience,
        Effect effect,
        Parser<Q> requestParser,
        Parser<R> replyParser,
        boolean idempotent) {
    public Method {
        Check.check(number > 0, "method number %d is not above 0", number);
    }

    /** A method that may be repeated without harm. */
    public static <Q extends Message, R extends Message> Method<Q, R> idempotent(
            int number, String name, Audience audience, Effect effect, Parser<Q> requestParser, Parser<R> replyParser) {
        return new Method<>(number, name, audience, effect, requestParser, replyParser, true);
    }

    /** A method that must be numbered in its session, so that a retry is done once. */
    public static <Q extends Message, R extends Message> Method<Q, R> once(
            int number, String name, Audience audience, Effect effect, Parser<Q> requestParser, Parser<R> replyParser) {
        return new Method<>(number, name, audience, effect, requestParser, replyParser, false);
    }

    @Override
    public String toString() {
        return name;
    }
}
