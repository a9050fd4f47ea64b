package io.tatami.client.block;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.protocol.wire.MemoryOffer;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection on which a test plays the server of one stream, on the thread of the client. */
final class ScriptedServer extends UnusedConnection {
    /** A message as it arrived. */
    record Received(Message message, byte[] payload) {}

    final List<Received> received = new ArrayList<>();

    /** What streams were opened with. */
    final List<Message> requests = new ArrayList<>();

    /** Calls, all of which fail with BUSY. */
    final List<Message> calls = new ArrayList<>();

    /** What is said as soon as a stream is opened. */
    private final List<Runnable> greeting = new ArrayList<>();

    private @Nullable Consumer<Message> finishing;
    private @Nullable BiConsumer<Message, ByteBuf> down;
    private @Nullable Consumer<TatamiException> failing;
    private @Nullable MemoryOffer offer;
    boolean cancelled;

    /** Up to where a writer may send before anything is acknowledged; what {@link #acknowledge} says tells no limit. */
    long openingLimit = Long.MAX_VALUE;

    /** Lends this memory to whoever asks next. */
    void lend(Path path) {
        offer = MemoryOffer.newBuilder()
                .setPath(path.toString())
                .setWritten(true)
                .build();
    }

    /** Acknowledges bytes as visible, and as durable. */
    void acknowledge(long visible, long durable) {
        say(WriteAck.newBuilder()
                .setSequence(received.size())
                .setVisibleLength(visible)
                .setDurableLength(durable)
                .build());
    }

    void say(Message message) {
        say(message, Unpooled.EMPTY_BUFFER);
    }

    /** Ownership of the payload passes to the client. Where no stream is open, the next one is greeted with it. */
    void say(Message message, ByteBuf payload) {
        if (down == null) {
            greeting.add(() -> say(message, payload));
        } else {
            down.accept(message, payload);
        }
    }

    /** Ends the next stream well, as soon as it is open. */
    void finishNext(Message reply) {
        greeting.add(() -> Objects.requireNonNull(finishing).accept(reply));
    }

    /** @param about the server that failed */
    void fail(ErrorCode code, RefusalSubject about) {
        if (failing != null) {
            failing.accept(new TatamiException(code, "as the script says", about, Detail.NONE, null));
        }
    }

    List<WriteFrame> frames() {
        return received.stream()
                .map(Received::message)
                .filter(WriteFrame.class::isInstance)
                .map(WriteFrame.class::cast)
                .toList();
    }

    @Override
    public <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
            StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener) {
        down = (message, payload) -> {
            try {
                listener.onMessage(method.downParser().parseFrom(message.toByteString()), payload);
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        };
        failing = listener::onFailed;
        finishing = message -> {
            try {
                listener.onFinished(method.replyParser().parseFrom(message.toByteString()));
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        };
        requests.add(body);
        if (method.downParser() == WriteAck.parser()) {
            say(WriteAck.newBuilder()
                    .setOpening(true)
                    .setSendLimit(openingLimit)
                    .build());
        }
        greeting.forEach(Runnable::run);
        greeting.clear();
        if (offer != null) {
            say(offer);
            offer = null;
        }
        return new Up<>();
    }

    private final class Up<U extends Message> implements RpcStream<U> {
        @Override
        public void sendAndRelease(U message, ByteBuf payload) {
            received.add(new Received(message, ByteBufUtil.getBytes(payload)));
            payload.release();
        }

        @Override
        public void send(U message) {
            sendAndRelease(message, Unpooled.EMPTY_BUFFER);
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void whenWritable(Runnable callback) {
            callback.run();
        }

        @Override
        public void awaitWritable(long timeoutMillis) {}

        @Override
        public void cancel(String reason) {
            cancelled = true;
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            Method<Q, R> method, CallOptions options, Q body) {
        calls.add(body);
        return CompletableFuture.failedFuture(new TatamiException(ErrorCode.BUSY, "as the script says"));
    }
}
