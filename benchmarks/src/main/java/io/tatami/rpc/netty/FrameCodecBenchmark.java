package io.tatami.rpc.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.FrameDecoder;
import io.tatami.rpc.netty.shared.Outbox;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Requests of the usual size into bytes and back, without a network. */
@NullMarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FrameCodecBenchmark {
    private static final int FRAMES = 64;

    private final RequestHeader header = RequestHeader.newBuilder()
            .setProtocolVersion(1)
            .setSession(1_234_567)
            .setNumber(89_012)
            .setLowWaterMark(88_900)
            .setDeadlineMillis(30_000)
            .setMethod(17)
            .setGroup(3)
            .build();
    private final LookupRequest body =
            LookupRequest.newBuilder().setName("part-r-00042").setOpen(true).build();

    private final EmbeddedChannel sender = new EmbeddedChannel();
    private final EmbeddedChannel receiver =
            new EmbeddedChannel(new FrameDecoder(FrameFormat.FRAME_BYTES_MAX, Clock.SYSTEM));
    private final Outbox outbox = new Outbox(sender, settings());
    private final ByteBuf encoded = PooledByteBufAllocator.DEFAULT.directBuffer();

    private static RpcSettings settings() {
        try {
            return RpcSettings.from(Settings.defaults());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Keeps one round's bytes, for decoding. */
    @Setup
    public void encodeOnce() throws TatamiException {
        encode(encoded);
    }

    @TearDown
    public void release() {
        encoded.release();
        sender.finishAndReleaseAll();
        receiver.finishAndReleaseAll();
    }

    @Benchmark
    @OperationsPerInvocation(FRAMES)
    public void encodeRequests() throws TatamiException {
        encode(null);
    }

    /** Header and body are parsed too. */
    @Benchmark
    @OperationsPerInvocation(FRAMES)
    public long decodeRequests() throws TatamiException {
        receiver.writeInbound(encoded.retainedDuplicate());
        long sum = 0;
        for (Frame frame = receiver.readInbound(); frame != null; frame = receiver.readInbound()) {
            sum += frame.header(RequestHeader.parser()).getNumber();
            sum += frame.body(LookupRequest.parser()).getName().length();
            frame.release();
        }
        return sum;
    }

    private void encode(@Nullable ByteBuf copy) throws TatamiException {
        for (int i = 0; i < FRAMES; i++) {
            outbox.write(FrameKind.REQUEST, i, header, body);
        }
        outbox.run();
        for (ByteBuf out = sender.readOutbound(); out != null; out = sender.readOutbound()) {
            if (copy != null) {
                copy.writeBytes(out);
            }
            out.release();
        }
    }
}
