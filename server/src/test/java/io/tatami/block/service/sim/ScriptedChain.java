package io.tatami.block.service.sim;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.block.UnusedConnection;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.io.ByteArrayOutputStream;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A connection to a server behind in a chain that does what a test says, and keeps what it is sent. */
final class ScriptedChain extends UnusedConnection implements Connector {
    /** The streams that were opened to it, the oldest first. */
    final List<Link<?, ?, ?>> links = new ArrayList<>();

    boolean isReachable = true;

    /** The stream of the writer of a generation. */
    Link<?, ?, ?> ofGeneration(long generation) {
        return links.stream()
                .filter(link -> link.request.getGeneration() == generation)
                .findFirst()
                .orElseThrow();
    }

    Link<?, ?, ?> last() {
        return links.get(links.size() - 1);
    }

    @Override
    public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
        return isReachable
                ? CompletableFuture.completedFuture(this)
                : CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "it is not there"));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            Method<Q, R> method, CallOptions options, Q body) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
            StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener) {
        Link<U, D, R> link = new Link<>(method, WriteBlockRequest.class.cast(body), listener);
        links.add(link);
        return link;
    }

    /** One stream: the frames that came on it make up the block from its start on. */
    static final class Link<U extends Message, D extends Message, R extends Message> implements RpcStream<U> {
        final WriteBlockRequest request;
        final ByteArrayOutputStream payload = new ByteArrayOutputStream();
        private final StreamMethod<?, U, D, R> method;
        private final StreamListener<D, R> listener;
        private final List<Runnable> waiting = new ArrayList<>();
        private long sequence;
        private long limit;

        /** The most that was acknowledged. */
        long visible;

        long durable;
        private boolean writable = true;
        boolean hasLast;
        private boolean isOver;

        @Nullable
        String cancelled;

        Link(StreamMethod<?, U, D, R> method, WriteBlockRequest request, StreamListener<D, R> listener) {
            this.method = method;
            this.request = request;
            this.listener = listener;
            this.limit = request.getStartOffset() + BlockPayload.OPENING_BYTES;
            this.visible = request.getStartOffset();
            this.durable = visible;
        }

        /** Where the block ends as far as it has come. */
        long endOffset() {
            return request.getStartOffset() + payload.size();
        }

        /** Whether nothing more is to be said on it. */
        boolean isOver() {
            return isOver || cancelled != null;
        }

        /** Says that the chain is not open yet, and that this server is alive. */
        void isOpening() {
            tell(WriteAck.newBuilder().setOpening(true).setSendLimit(limit).build());
        }

        void acknowledge(long visible, long durable) {
            acknowledge(visible, durable, visible + BlockPayload.BYTES_MAX);
        }

        void acknowledge(long visible, long durable, long sendLimit) {
            tell(WriteAck.newBuilder()
                    .setVisibleLength(visible)
                    .setDurableLength(durable)
                    .setSendLimit(sendLimit)
                    .build());
        }

        private void tell(WriteAck ack) {
            limit = Math.max(limit, ack.getSendLimit());
            visible = Math.max(visible, ack.getVisibleLength());
            durable = Math.max(durable, ack.getDurableLength());
            try {
                listener.onMessage(method.downParser().parseFrom(ack.toByteArray()), Unpooled.EMPTY_BUFFER);
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }

        void finish() {
            isOver = true;
            visible = endOffset();
            durable = visible;
            WriteBlockReply reply =
                    WriteBlockReply.newBuilder().setLength(endOffset()).build();
            try {
                listener.onFinished(method.replyParser().parseFrom(reply.toByteArray()));
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }

        void fail(TatamiException failure) {
            isOver = true;
            listener.onFailed(failure);
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
        public void sendAndRelease(U message, ByteBuf bytes) {
            WriteFrame frame = WriteFrame.class.cast(message);
            Check.check(!hasLast, "a frame behind the last");
            Check.check(frame.getSequence() == ++sequence, "frame %d", frame.getSequence());
            Check.check(frame.getOffset() == endOffset(), "a frame at %d", frame.getOffset());
            int bad = BlockPayload.firstBadPiece(bytes, frame.getOffset(), frame::getChecksum);
            Check.check(bad == BlockPayload.NONE, "a wrong checksum at %d", frame.getOffset());
            payload.writeBytes(ByteBufUtil.getBytes(bytes));
            bytes.release();
            Check.check(endOffset() <= limit, "%d bytes, where %d may be sent", endOffset(), limit);
            hasLast = frame.getLast();
        }

        @Override
        public void send(U message) {
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
        public void cancel(String reason) {
            cancelled = reason;
        }

        @Override
        public void awaitWritable(long timeoutMillis) {
            throw new UnsupportedOperationException();
        }
    }
}
