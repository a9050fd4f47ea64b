package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.tatami.base.TatamiException;
import io.tatami.rpc.StreamListener;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What arrives on a stream. */
final class Heard<D extends Message, R extends Message> implements StreamListener<D, R> {
    final BlockingQueue<D> messages = new LinkedBlockingQueue<>();
    final ByteArrayOutputStream payload = new ByteArrayOutputStream();
    final CompletableFuture<R> end = new CompletableFuture<>();

    /** Waits for the stream to fail. */
    TatamiException failure() throws Exception {
        try {
            throw new AssertionError("it ended well: " + end.get(20, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return assertInstanceOf(TatamiException.class, e.getCause());
        }
    }

    @Override
    public void onMessage(D message, ByteBuf arrived) {
        payload.writeBytes(ByteBufUtil.getBytes(arrived));
        arrived.release();
        messages.add(message);
    }

    @Override
    public void onFinished(R reply) {
        end.complete(reply);
    }

    @Override
    public void onFailed(TatamiException failure) {
        end.completeExceptionally(failure);
    }
}
