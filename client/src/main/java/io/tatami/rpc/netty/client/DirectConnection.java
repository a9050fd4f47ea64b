package io.tatami.rpc.netty.client;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.ReplyHeader;
import io.tatami.protocol.wire.Welcome;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.frame.FramePrefix;
import io.tatami.rpc.netty.frame.OutgoingFrame;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.Handshake;
import io.tatami.rpc.netty.shared.ReplyErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection on which the thread that calls reads its reply itself, so that no event loop has to be woken to send the
 * request, nor the caller to take the reply. One call at a time, and no streams. Used by one thread at a time.
 */
final class DirectConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectConnection.class);

    /** What a buffer keeps between two calls. */
    private static final int BUFFER_BYTES = 16 << 10;

    private final ConnectTarget dial;
    private final DirectSocket socket;
    private final BooleanSupplier closed;
    private final ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER_BYTES);
    private NegotiatedProtocol agreement = NegotiatedProtocol.NONE;
    private int lastCallId;
    private boolean midCall;

    /** The server sent something behind its reply. */
    private boolean isLast;

    /** Looked at by others, too, while nobody has it. */
    private volatile long idleSinceNanos;

    private DirectConnection(ConnectTarget dial, DirectSocket socket, BooleanSupplier closed) {
        this.dial = dial;
        this.socket = socket;
        this.closed = closed;
    }

    /**
     * Connects and shakes hands.
     *
     * @param cluster the only one it may be
     * @param group whose changes it is for; null for none in particular
     * @param closed asked now and then by whoever waits, who gives up when it is true
     * @throws TatamiException UNAVAILABLE and whatever a server can answer to a handshake
     */
    static DirectConnection open(ConnectTarget dial, UUID cluster, @Nullable GroupId group, BooleanSupplier closed)
            throws TatamiException {
        Wait wait = new Wait(dial, dial.settings().handshakeTimeout().toMillis(), closed);
        DirectConnection connection;
        try {
            connection = new DirectConnection(dial, DirectSocket.connect(dial.address(), wait), closed);
        } catch (IOException e) {
            throw lost(dial, e);
        }
        boolean done = false;
        try {
            connection.shakeHands(cluster, group, wait);
            done = true;
            return connection;
        } finally {
            if (!done) {
                connection.close();
            }
        }
    }

    /**
     * Calls and waits for the reply.
     *
     * @throws TatamiException as {@link io.tatami.rpc.Connection#callAndWait}
     */
    <Q extends Message, R extends Message> R call(Method<Q, R> method, CallOptions options, Q body)
            throws TatamiException {
        lastCallId++;
        Message header = agreement.header(options, method.number(), options.timeoutMillis());
        OutgoingFrame request = new OutgoingFrame(FrameKind.REQUEST, lastCallId, header, body, 0);
        int bytes = request.headBytes(agreement.frameBytesMax());
        Wait wait = new Wait(dial, options.timeoutMillis(), closed);
        midCall = true;
        send(request, bytes, wait);
        Frame reply = receive(wait);
        if (reply.kind() == FrameKind.GOODBYE) {
            TatamiException reason = Handshake.reasonOf(reply.body(Goodbye.parser()));
            throw lost(dial, Handshake.messageOf(reason), reason);
        }
        if (reply.kind() != FrameKind.REPLY || reply.callId() != lastCallId) {
            throw outOfTurn(reply.kind());
        }
        TatamiException failure = ReplyErrors.of(reply.header(ReplyHeader.parser()));
        if (failure != null) {
            midCall = false;
            throw failure;
        }
        R result = reply.body(method.replyParser());
        midCall = false;
        return result;
    }

    /** Whether the call before has come to its end, and the server goes on, so that another one may be made. */
    boolean isReusable() {
        return !midCall && !isLast;
    }

    /** From now on it is idle. */
    void rest() {
        idleSinceNanos = dial.clock().monotonicNanos();
        if (buffer.capacity() > BUFFER_BYTES) {
            buffer.clear().capacity(BUFFER_BYTES);
        }
    }

    /** Whether it is idle for so long that the server may think its client gone. */
    boolean isStale() {
        long idleNanos = dial.clock().monotonicNanos() - idleSinceNanos;
        return idleNanos > dial.settings().pingInterval().toNanos();
    }

    @Override
    public void close() {
        socket.close();
        buffer.release();
    }

    private void shakeHands(UUID cluster, @Nullable GroupId group, Wait wait) throws TatamiException {
        ClientIdentity client = dial.identity().of(cluster);
        Message hello = Handshake.hello(client, dial.settings(), group);
        OutgoingFrame frame = new OutgoingFrame(FrameKind.HELLO, 0, null, hello, 0);
        send(frame, frame.headBytes(FrameFormat.FRAME_BYTES_LEAST), wait);
        Frame answer = receive(wait);
        if (answer.kind() == FrameKind.GOODBYE) {
            throw Handshake.reasonOf(answer.body(Goodbye.parser()));
        }
        if (answer.kind() != FrameKind.WELCOME) {
            throw outOfTurn(answer.kind());
        }
        Welcome welcome = answer.body(Welcome.parser());
        UUID unused = Handshake.accept(welcome, client);
        agreement = NegotiatedProtocol.of(welcome);
    }

    private TatamiException outOfTurn(FrameKind kind) {
        LOG.warn("closing a connection to {}: it sent {} out of turn", dial.server(), kind);
        return new TatamiException(
                ErrorCode.MALFORMED, "the server sent " + kind + " although no such frame is expected");
    }

    /** What came of a failure of the socket, or of who waited for it. */
    private static TatamiException lost(ConnectTarget dial, IOException failure) {
        return failure instanceof TatamiException told ? told : lost(dial, Handshake.messageOf(failure), failure);
    }

    private static TatamiException lost(ConnectTarget dial, String why, @Nullable Throwable cause) {
        return new TatamiException(
                ErrorCode.UNAVAILABLE, "the connection to " + dial.server() + " was lost: " + why, cause);
    }

    private void send(OutgoingFrame frame, int bytes, Wait wait) throws TatamiException {
        buffer.clear().ensureWritable(bytes);
        frame.appendTo(buffer);
        try {
            socket.write(buffer, wait);
        } catch (IOException e) {
            throw lost(dial, e);
        }
    }

    /** The next frame; its content is there until the next call of this object. */
    private Frame receive(Wait wait) throws TatamiException {
        buffer.clear();
        receive(FrameFormat.PREFIX_BYTES, wait);
        ByteBuffer head = buffer.nioBuffer(0, FrameFormat.PREFIX_BYTES);
        FramePrefix prefix = FramePrefix.parse(head, dial.settings().frameBytesMax());
        receive(FrameFormat.PREFIX_BYTES + prefix.contentBytes(), wait);
        // A server that stops answers, and says goodbye at once.
        isLast = buffer.readableBytes() > FrameFormat.PREFIX_BYTES + prefix.contentBytes();
        buffer.skipBytes(FrameFormat.PREFIX_BYTES);
        return prefix.frame(buffer, dial.clock().monotonicNanos());
    }

    /** Reads until so many bytes are there. */
    private void receive(int bytes, Wait wait) throws TatamiException {
        try {
            while (buffer.readableBytes() < bytes) {
                buffer.ensureWritable(bytes - buffer.readableBytes());
                if (!socket.read(buffer, wait)) {
                    throw new IOException("the server closed it");
                }
            }
        } catch (IOException e) {
            throw lost(dial, e);
        }
    }

    /** How long one call waits. */
    private static final class Wait implements DirectSocket.Patience {
        private final ConnectTarget dial;
        private final long timeoutMillis;
        private final long endNanos;
        private final BooleanSupplier closed;

        Wait(ConnectTarget dial, long timeoutMillis, BooleanSupplier closed) {
            this.dial = dial;
            this.timeoutMillis = timeoutMillis;
            this.endNanos = dial.clock().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            this.closed = closed;
        }

        @Override
        public void check() throws TatamiException {
            if (Thread.currentThread().isInterrupted()) {
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for " + dial.server());
            }
            if (closed.getAsBoolean()) {
                throw lost(dial, "closed", null);
            }
            if (timeoutMillis > 0 && dial.clock().monotonicNanos() - endNanos >= 0) {
                throw new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "no reply within " + timeoutMillis + " ms");
            }
        }
    }
}
