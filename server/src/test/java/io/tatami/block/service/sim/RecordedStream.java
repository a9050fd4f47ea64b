package io.tatami.block.service.sim;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.rpc.ServerStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server's side of a stream without a network: keeps what is sent, and the one answer. */
final class RecordedStream<D extends Message, R extends Message> implements ServerStream<D, R> {
    final List<D> messages = new ArrayList<>();
    final ByteArrayOutputStream payload = new ByteArrayOutputStream();
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean writable = true;

    @Nullable
    R reply;

    @Nullable
    TatamiException failure;

    boolean isAnswered() {
        return reply != null || failure != null;
    }

    void setWritable(boolean now) {
        writable = now;
        if (now) {
            List<Runnable> woken = List.copyOf(waiting);
            waiting.clear();
            woken.forEach(Runnable::run);
        }
    }

    @Override
    public void success(R sent) {
        Check.check(!isAnswered(), "a stream was answered twice");
        reply = sent;
    }

    @Override
    public void failure(TatamiException sent) {
        Check.check(!isAnswered(), "a stream was answered twice");
        failure = sent;
    }

    @Override
    public void sendAndRelease(D message, ByteBuf bytes) {
        Check.check(!isAnswered(), "something is sent after the answer");
        messages.add(message);
        payload.writeBytes(ByteBufUtil.getBytes(bytes));
        bytes.release();
    }

    @Override
    public void send(D message) {
        sendAndRelease(message, Unpooled.EMPTY_BUFFER);
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public void whenWritable(Runnable callback) {
        if (writable) {
            callback.run();
        } else {
            waiting.add(callback);
        }
    }

    @Override
    public void awaitWritable(long timeoutMillis) {
        throw new UnsupportedOperationException();
    }
}
