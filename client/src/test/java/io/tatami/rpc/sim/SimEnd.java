package io.tatami.rpc.sim;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.MessageSender;

/** One end of a simulated stream. It is always writable. */
abstract class SimEnd<M extends Message> implements MessageSender<M> {
    private final SimConnection connection;
    private final boolean up;
    private boolean ended;

    /** @param up whether this end sends from client to server */
    SimEnd(SimConnection connection, boolean up) {
        this.connection = connection;
        this.up = up;
    }

    /** A message comes to the other end. */
    abstract void sent(byte[] message, ByteBuf payload);

    final SimConnection connection() {
        return connection;
    }

    final boolean isEnded() {
        return ended;
    }

    final void end() {
        ended = true;
    }

    /** Delivers, unless this end has ended. */
    final void take(Runnable delivery) {
        if (!ended) {
            delivery.run();
        }
    }

    @Override
    public final void sendAndRelease(M message, ByteBuf payload) {
        ByteBuf copy = Unpooled.copiedBuffer(payload);
        payload.release();
        byte[] bytes = message.toByteArray();
        if (!ended) {
            connection.carryInStream(up, () -> sent(bytes, copy));
        }
    }

    @Override
    public final void send(M message) {
        sendAndRelease(message, Unpooled.EMPTY_BUFFER);
    }

    @Override
    public final boolean isWritable() {
        return true;
    }

    @Override
    public final void whenWritable(Runnable callback) {
        callback.run();
    }

    @Override
    public final void awaitWritable(long timeoutMillis) throws TatamiException {
        if (ended) {
            throw new TatamiException(ErrorCode.CANCELLED, "the stream has already ended");
        }
    }
}
