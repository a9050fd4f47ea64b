package io.tatami.protocol;

import org.jspecify.annotations.Nullable;

/** What a frame is; the numbers are part of the protocol. */
public enum FrameKind {
    /** The first frame of a connection; body {@code Hello}. */
    HELLO(1),
    /** The server's answer to it; body {@code Welcome}. */
    WELCOME(2),
    /** Begins a call or a stream; header {@code RequestHeader}, body by method. */
    REQUEST(3),
    /** Ends a call or a stream; header {@code ReplyHeader}, body by method, empty on an error. */
    REPLY(4),
    /** A message of an open stream, either way; no header, body by method, and a payload. */
    DATA(5),
    /** The client gives a call or a stream up; body {@code Goodbye}. No answer follows. */
    CANCEL(6),
    /** Asks for a PONG with the same call id. */
    PING(7),
    PONG(8),
    /** The last frame before the sender closes the connection; body {@code Goodbye}. */
    GOODBYE(9);

    private static final FrameKind[] KINDS = values();

    private final int number;

    FrameKind(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The kind of a number from the wire, or null where there is none. */
    public static @Nullable FrameKind ofNumber(int number) {
        return number >= 1 && number <= KINDS.length ? KINDS[number - 1] : null;
    }
}
