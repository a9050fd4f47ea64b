package io.tatami.rpc.netty;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Hello;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.protocol.wire.Welcome;
import io.tatami.rpc.netty.shared.Handshake;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The other end of a connection, byte by byte, built from the written format and not from the code under test. */
public final class RawPeer implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final DataInputStream in;

    /** A frame as it was read. */
    public record RawFrame(int kind, int callId, byte[] header, byte[] body, byte[] payload) {}

    public RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new DataInputStream(socket.getInputStream());
    }

    public static RawPeer connect(InetSocketAddress address) throws IOException {
        return new RawPeer(new Socket(address.getAddress(), address.getPort()));
    }

    public static Hello.Builder hello() {
        return Hello.newBuilder()
                .setMagic(0x54544d49)
                .setOldestVersion(1)
                .setNewestVersion(1)
                .setClientName("raw")
                .setAuthScheme("SIMPLE")
                .setCredential(UserIdentity.of("raw").toSimpleCredential());
    }

    public static Welcome.Builder welcome() {
        return Welcome.newBuilder()
                .setMagic(0x54544d49)
                .setVersion(1)
                .setClusterId(Handshake.toBytes(Rig.CLUSTER))
                .setInflightRequestsMax(10)
                .setFrameBytesMax(1 << 20);
    }

    public static byte[] request(int callId, int method, Message body) {
        return frame(
                FrameKind.REQUEST.number(),
                callId,
                RequestHeader.newBuilder()
                        .setProtocolVersion(1)
                        .setMethod(method)
                        .build()
                        .toByteString(),
                body.toByteString(),
                new byte[0]);
    }

    public static byte[] frame(int kind, int callId, ByteString header, ByteString body, byte[] payload) {
        int length = 16 + header.size() + body.size() + payload.length;
        return ByteBuffer.allocate(4 + length)
                .putInt(length)
                .put((byte) kind)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(callId)
                .putInt(header.size())
                .putInt(body.size())
                .put(header.asReadOnlyByteBuffer())
                .put(body.asReadOnlyByteBuffer())
                .put(payload)
                .array();
    }

    public static byte[] frame(FrameKind kind, Message body) {
        return frame(kind.number(), 0, ByteString.EMPTY, body.toByteString(), new byte[0]);
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    public boolean hasInput() throws IOException {
        return in.available() > 0;
    }

    /** The next frame, or null when the other side has closed. */
    @Nullable
    public RawFrame read() throws IOException {
        try {
            byte[] content = new byte[in.readInt() - 16];
            int kind = in.readInt() >>> 24;
            int callId = in.readInt();
            byte[] header = new byte[in.readInt()];
            byte[] body = new byte[in.readInt()];
            in.readFully(content);
            ByteBuffer buffer = ByteBuffer.wrap(content).get(header).get(body);
            byte[] payload = new byte[buffer.remaining()];
            buffer.get(payload);
            return new RawFrame(kind, callId, header, body, payload);
        } catch (EOFException | SocketException e) {
            // Closed, or closed with bytes of ours unread, which TCP tells as a reset.
            return null;
        }
    }

    /** The next frame, which must be of this kind. */
    public RawFrame expect(FrameKind kind) throws IOException {
        RawFrame frame = read();
        if (frame == null || frame.kind() != kind.number()) {
            throw new AssertionError("expected " + kind + ", got " + frame);
        }
        return frame;
    }

    /** Says hello as a good client does. */
    public RawPeer greet() throws IOException {
        send(frame(FrameKind.HELLO, hello().build()));
        expect(FrameKind.WELCOME);
        return this;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
