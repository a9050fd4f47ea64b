package io.tatami.rpc;

import com.google.protobuf.Int64Value;
import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.tatami.base.TatamiException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what a stream of {@link EchoService#MIRROR} brought. */
public final class Recorder implements StreamListener<StringValue, Int64Value> {
    public final List<String> messages = new CopyOnWriteArrayList<>();
    public final List<byte[]> payloads = new CopyOnWriteArrayList<>();
    public final CompletableFuture<Long> end = new CompletableFuture<>();

    @Override
    public void onMessage(StringValue message, ByteBuf payload) {
        messages.add(message.getValue());
        payloads.add(ByteBufUtil.getBytes(payload));
        payload.release();
    }

    @Override
    public void onFinished(Int64Value reply) {
        end.complete(reply.getValue());
    }

    @Override
    public void onFailed(TatamiException failure) {
        end.completeExceptionally(failure);
    }
}
