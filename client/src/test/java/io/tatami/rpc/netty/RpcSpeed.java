package io.tatami.rpc.netty;

import com.google.protobuf.Int64Value;
import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.protocol.Audience;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Lane;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamListener;
import io.tatami.rpc.StreamReceiver;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures small calls and bulk streams over loopback, client and server in one process. Not a test: run its main with
 * the seconds of each measurement as the argument.
 */
public final class RpcSpeed {
    private static final int DEPTH = 64;
    private static final int FRAME_BYTES = 1 << 20;
    private static final Method<StringValue, StringValue> ECHO =
            Method.idempotent(1, "echo", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());

    /** Sends as many frames down as the request says, each as soon as it can. */
    private static final StreamMethod<Int64Value, StringValue, StringValue, Int64Value> SOURCE = new StreamMethod<>(
            2,
            "source",
            Audience.USERS,
            Effect.READS,
            Int64Value.parser(),
            StringValue.parser(),
            StringValue.parser(),
            Int64Value.parser());

    private static final StringValue NOTE = StringValue.of("position 12345678");

    private RpcSpeed() {}

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length == 0 ? 5 : Integer.parseInt(arguments[0]);
        Map<String, String> loops = Map.of("tatami.rpc.event.loops", "1");
        RpcSettings settings = RpcSettings.from(Settings.of(loops));
        try (EventLoops clientLoops = new EventLoops("client", settings);
                EventLoops serverLoops = new EventLoops("server", settings);
                RpcServer server = new RpcServer(
                        serverLoops,
                        settings,
                        Clock.SYSTEM,
                        ServerIdentity.simple("speed", new UUID(1, 1)),
                        new HandlerTable()
                                .on(ECHO, (context, body, responder) -> responder.success(body))
                                .onStream(SOURCE, Source::new));
                RpcClient client = new RpcClient(
                        clientLoops, settings, Clock.SYSTEM, ClientIdentity.simple("speed", UserIdentity.of("root")))) {
            InetSocketAddress address =
                    (InetSocketAddress) server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Connection control = client.connect(address).get();
            Connection bulk = client.connect(address, Lane.bulk(0)).get();
            for (int round = 0; round < 3; round++) {
                System.out.printf("calls, one after the other: %,.0f/s%n", calls(control, 1, seconds));
                System.out.printf("calls, %d at once: %,.0f/s%n", DEPTH, calls(control, DEPTH, seconds));
                System.out.printf("frames of 1 MiB: %,.0f MB/s%n", frames(bulk, 1000L * seconds));
            }
        }
    }

    private static double calls(Connection connection, int depth, int seconds) throws InterruptedException {
        AtomicLong done = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(depth);
        long begin = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        for (int i = 0; i < depth; i++) {
            callUntil(connection, end, done, ended);
        }
        ended.await();
        return done.get() * 1e9 / (System.nanoTime() - begin);
    }

    private static void callUntil(Connection connection, long end, AtomicLong done, CountDownLatch ended) {
        CompletableFuture<StringValue> unused = connection
                .call(ECHO, CallOptions.DEFAULT, NOTE)
                .whenComplete((reply, failure) -> {
                    done.incrementAndGet();
                    if (failure == null && System.nanoTime() < end) {
                        callUntil(connection, end, done, ended);
                    } else {
                        ended.countDown();
                    }
                });
    }

    private static double frames(Connection connection, long count) throws Exception {
        CompletableFuture<Long> ended = new CompletableFuture<>();
        long begin = System.nanoTime();
        connection.openStream(SOURCE, CallOptions.DEFAULT, Int64Value.of(count), new StreamListener<>() {
            private long bytes;

            @Override
            public void onMessage(StringValue message, ByteBuf payload) {
                bytes += payload.readableBytes();
                payload.release();
            }

            @Override
            public void onFinished(Int64Value reply) {
                ended.complete(bytes);
            }

            @Override
            public void onFailed(TatamiException failure) {
                ended.completeExceptionally(failure);
            }
        });
        return ended.get() * 1e3 / (System.nanoTime() - begin);
    }

    private static final class Source implements StreamReceiver<StringValue> {
        private final ServerStream<StringValue, Int64Value> stream;
        private final ByteBuf frame =
                PooledByteBufAllocator.DEFAULT.directBuffer(FRAME_BYTES).writeZero(FRAME_BYTES);
        private long left;

        Source(CallContext context, Int64Value body, ServerStream<StringValue, Int64Value> stream) {
            this.stream = stream;
            this.left = body.getValue();
            pump();
        }

        private void pump() {
            while (left > 0 && stream.isWritable()) {
                stream.sendAndRelease(NOTE, frame.retainedDuplicate());
                left--;
            }
            if (left > 0) {
                stream.whenWritable(this::pump);
            } else {
                frame.release();
                stream.success(Int64Value.of(0));
            }
        }

        @Override
        public void onMessage(StringValue message, ByteBuf payload) {
            payload.release();
        }

        @Override
        public void onCancelled(TatamiException reason) {
            left = 0;
        }
    }
}
