package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.Lane;
import io.tatami.rpc.Recorder;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.FrameDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bytes that no good peer sends, and good bytes cut anywhere. Buffers are counted one by one, so that none may leak.
 */
@Timeout(120)
final class FuzzTest {
    private static final int FRAME_BYTES_MAX = 1 << 20;

    private static Random seeded() {
        String given = System.getProperty("tatami.test.seed", "");
        long seed = given.isEmpty() || given.startsWith("$") ? 20_260_101L : Long.parseLong(given);
        System.out.println("FuzzTest seed " + seed);
        return new Random(seed);
    }

    /** What a decoder passed on. */
    private static final class Sink extends ChannelInboundHandlerAdapter {
        final List<RawPeer.RawFrame> frames = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Frame frame = (Frame) message;
            ByteBuf payload = frame.retainPayload();
            byte[] all = bytesOf(frame.content());
            frames.add(new RawPeer.RawFrame(
                    frame.kind().number(),
                    frame.callId(),
                    Arrays.copyOf(all, frame.headerBytes()),
                    Arrays.copyOfRange(all, frame.headerBytes(), frame.headerBytes() + frame.bodyBytes()),
                    bytesOf(payload)));
            payload.release();
            frame.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }
    }

    private static byte[] bytesOf(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), bytes);
        return bytes;
    }

    /** Feeds a decoder in random pieces; checks that all buffers are free again. */
    private static Sink decode(byte[] input, Random random) {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        Sink sink = new Sink();
        EmbeddedChannel channel = EmbeddedChannel.builder()
                .handlers(new FrameDecoder(FRAME_BYTES_MAX, Clock.SYSTEM), sink)
                .build();
        channel.config().setAllocator(allocator);
        int pieceMax = 1 + random.nextInt(random.nextBoolean() ? 30 : 100_000);
        int position = 0;
        while (position < input.length) {
            int bytes = Math.min(input.length - position, 1 + random.nextInt(pieceMax));
            channel.writeInbound(allocator.directBuffer(bytes).writeBytes(input, position, bytes));
            position += bytes;
        }
        assertFalse(channel.finish());
        assertEquals(0, allocator.metric().usedDirectMemory(), "direct memory leaked");
        assertEquals(0, allocator.metric().usedHeapMemory(), "heap memory leaked");
        return sink;
    }

    private static byte[] randomBytes(Random random, int bytesMax) {
        byte[] bytes = new byte[random.nextInt(bytesMax)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] validFrame(Random random) {
        FrameKind kind = FrameKind.values()[random.nextInt(FrameKind.values().length)];
        int sizeMax = random.nextInt(10) == 0 ? 300_000 : 300;
        return RawPeer.frame(
                kind.number(),
                random.nextInt(),
                ByteString.copyFrom(randomBytes(random, 100)),
                ByteString.copyFrom(randomBytes(random, sizeMax)),
                kind == FrameKind.DATA ? randomBytes(random, sizeMax) : new byte[0]);
    }

    @Test
    void framesCutAnywhereAreTheSameFrames() {
        Random random = seeded();
        for (int round = 0; round < 300; round++) {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            int count = 1 + random.nextInt(8);
            List<byte[]> sent = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] frame = validFrame(random);
                sent.add(frame);
                stream.writeBytes(frame);
            }
            Sink sink = decode(stream.toByteArray(), random);
            assertEquals(List.of(), sink.failures);
            assertEquals(count, sink.frames.size());
            for (int i = 0; i < count; i++) {
                RawPeer.RawFrame got = sink.frames.get(i);
                byte[] again = RawPeer.frame(
                        got.kind(),
                        got.callId(),
                        ByteString.copyFrom(got.header()),
                        ByteString.copyFrom(got.body()),
                        got.payload());
                assertTrue(Arrays.equals(sent.get(i), again), "round " + round + ", frame " + i);
            }
        }
    }

    @Test
    void randomAndMutatedAndTruncatedBytesAreToldOnceAndLeakNothing() {
        Random random = seeded();
        int malformed = 0;
        for (int round = 0; round < 3000; round++) {
            Sink sink = decode(badBytes(random), random);
            assertTrue(sink.failures.size() <= 1, () -> "told more than once: " + sink.failures);
            for (Throwable failure : sink.failures) {
                malformed++;
                assertTrue(failure instanceof TatamiException e && e.code() == ErrorCode.MALFORMED, failure::toString);
            }
        }
        assertTrue(malformed > 500, "only " + malformed + " of the inputs were malformed");
    }

    private static byte[] badBytes(Random random) {
        byte[] frame = validFrame(random);
        switch (random.nextInt(4)) {
            case 0:
                return randomBytes(random, 2000);
            case 1:
                return Arrays.copyOf(frame, random.nextInt(frame.length));
            case 2:
                frame[random.nextInt(Math.min(frame.length, 20))] = (byte) random.nextInt();
                return frame;
            default:
                ByteArrayOutputStream two = new ByteArrayOutputStream();
                two.writeBytes(frame);
                two.writeBytes(randomBytes(random, 200));
                return two.toByteArray();
        }
    }

    @Test
    void aFrameOverTheLimitIsRefusedByItsFirstBytes() {
        Random random = seeded();
        byte[] prefix = Unpooled.buffer(20)
                .writeInt(FRAME_BYTES_MAX - 3)
                .writeInt(FrameKind.DATA.number() << 24)
                .writeZero(12)
                .array();
        assertEquals(1, decode(prefix, random).failures.size());
        prefix[3]--;
        assertEquals(0, decode(prefix, random).failures.size());
        Arrays.fill(prefix, 0, 4, (byte) 0xff);
        assertEquals(1, decode(prefix, random).failures.size());
    }

    @Test
    void aBadPeerHarmsNoOtherConnection() throws Exception {
        Random random = seeded();
        try (Rig rig = new Rig()) {
            Connection good = rig.connect();
            Recorder recorder = new Recorder();
            RpcStream<StringValue> stream = rig.connect(Lane.bulk(0))
                    .openStream(EchoService.MIRROR, CallOptions.DEFAULT, StringValue.of(""), recorder);
            for (int round = 0; round < 150; round++) {
                attack(rig, random);
                String text = "round " + round;
                assertEquals(
                        text,
                        good.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, StringValue.of(text))
                                .getValue());
                stream.sendAndRelease(StringValue.of(text), Unpooled.wrappedBuffer(new byte[1000]));
            }
            stream.send(StringValue.of("end"));
            assertEquals(150_000L, Futures.result(recorder.end));
            assertEquals(150, recorder.messages.size());
        }
    }

    /** Sends something bad, and hears a goodbye unless what was sent was good by chance or only too short. */
    private static void attack(Rig rig, Random random) throws IOException {
        try (RawPeer peer = RawPeer.connect(rig.address)) {
            if (random.nextBoolean()) {
                peer.greet();
            }
            switch (random.nextInt(5)) {
                case 0 -> peer.send(randomBytes(random, 3000));
                case 1 -> peer.send(badBytes(random));
                case 2 ->
                    peer.send(RawPeer.frame(
                            FrameKind.WELCOME, Goodbye.newBuilder().setError(1).build()));
                case 3 -> {
                    byte[] request = RawPeer.request(1, EchoService.PARK.number(), StringValue.of(""));
                    peer.send(request);
                    peer.send(request);
                }
                default ->
                    peer.send(RawPeer.request(
                            random.nextInt(),
                            random.nextInt(10),
                            StringValue.of("\u0000".repeat(random.nextInt(100)))));
            }
        } catch (IOException e) {
            assertNotNull(e.getMessage(), "the server closed the connection while it was still written to");
        }
    }

    @Test
    void aProtocolBreachIsAnsweredWithItsReason() throws Exception {
        try (Rig rig = new Rig()) {
            assertEquals(
                    "the client's first frame is REQUEST",
                    reason(rig, false, RawPeer.request(1, 1, StringValue.of(""))));
            assertEquals(
                    "unknown frame kind 99",
                    reason(rig, true, RawPeer.frame(99, 0, ByteString.EMPTY, ByteString.EMPTY, new byte[0])));
            assertEquals(
                    "a frame of kind PING has a payload",
                    reason(rig, true, RawPeer.frame(7, 0, ByteString.EMPTY, ByteString.EMPTY, new byte[1])));
            assertEquals(
                    "a frame of length 1195725856 is above the limit of 16777216 bytes",
                    reason(rig, false, "GET / HTTP/1.1\r\nHost: tatami\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            assertEquals(
                    "a client does not send REPLY here",
                    reason(rig, true, RawPeer.frame(4, 0, ByteString.EMPTY, ByteString.EMPTY, new byte[0])));
        }
    }

    private static String reason(Rig rig, boolean greet, byte[] bytes) throws IOException {
        try (RawPeer peer = RawPeer.connect(rig.address)) {
            if (greet) {
                peer.greet();
            }
            peer.send(bytes);
            Goodbye goodbye = Goodbye.parseFrom(peer.expect(FrameKind.GOODBYE).body());
            assertEquals(ErrorCode.MALFORMED.number(), goodbye.getError());
            return goodbye.getMessage();
        }
    }
}
