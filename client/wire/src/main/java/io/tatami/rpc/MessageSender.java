package io.tatami.rpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;

/**
 * One side of an open stream: sends messages of type {@code M} to the other side. Safe for use by many threads;
 * messages of one thread arrive in the order in which they were sent.
 */
public interface MessageSender<M extends Message> {
    /**
     * Sends a message and a raw payload. Never blocks; it is for the caller to stop while {@link #isWritable} is false:
     * one that goes on to many times the mark gets {@link IllegalStateException}. After the stream's end this only
     * releases the payload.
     *
     * @param payload ownership passes, whatever happens; {@code Unpooled.EMPTY_BUFFER} for none. Together with the
     *     message it must fit into a frame
     */
    void sendAndRelease(M message, ByteBuf payload);

    /** Sends a message without a payload. */
    void send(M message);

    /**
     * Sends a message without a payload that the other side can do without: dropped where there is no memory for it.
     */
    default void sendOrDrop(M message) {
        send(message);
    }

    /** Whether less than the high-water mark of bytes wait to be written to this connection. */
    boolean isWritable();

    /**
     * Runs {@code callback} once: as soon as {@link #isWritable} holds, which may be now, or the stream has ended. It
     * runs on the calling thread or on the event loop and must not block.
     */
    void whenWritable(Runnable callback);

    /**
     * Blocks until {@link #isWritable} holds. Must not be called on an event loop.
     *
     * @throws TatamiException DEADLINE_EXCEEDED after {@code timeoutMillis}; the stream's failure when it has ended;
     *     CANCELLED on an interrupt, with the flag set again
     */
    void awaitWritable(long timeoutMillis) throws TatamiException;
}
