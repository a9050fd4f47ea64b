package io.tatami.rpc.netty.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.FastThreadLocal;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import io.tatami.rpc.netty.frame.Frame;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections of a process that has no direct memory left. */
class ConnectionMemoryTest {
    private static final int FRAME_BYTES_MAX = 8 << 20;

    private final Starved starved = new Starved();

    @AfterEach
    void giveReserveBack() {
        FastThreadLocal.removeAll();
    }

    /** Has heap only. */
    private static final class Starved extends AbstractByteBufAllocator {
        private int refusals;

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            refusals++;
            throw new OutOfMemoryError("Cannot reserve " + initialCapacity + " bytes of direct buffer memory");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    private static ExtendedHandle newHandle() {
        return new ConnectionMemory(new AdaptiveRecvByteBufAllocator()).newHandle();
    }

    @Test
    void eachReadGoesToTheReserveAndIsKeptOnTheHeap() {
        ExtendedHandle handle = newHandle();
        ByteBuf first = handle.allocate(starved).writeBytes(new byte[] {1, 2, 3});
        assertTrue(first.isDirect());
        ByteBuf kept = ConnectionMemory.keep(first);
        ByteBuf second = handle.allocate(starved).writeBytes(new byte[] {4, 5});
        ByteBuf keptToo = ConnectionMemory.keep(second);

        assertFalse(kept.isDirect());
        assertEquals("010203", ByteBufUtil.hexDump(kept));
        assertEquals("0405", ByteBufUtil.hexDump(keptToo));
        kept.release();
        keptToo.release();
    }

    @Test
    void whatIsReadIntoOtherMemoryIsNotCopied() {
        ByteBuf read = newHandle().allocate(UnpooledByteBufAllocator.DEFAULT);
        assertEquals(System.identityHashCode(read), System.identityHashCode(ConnectionMemory.keep(read)));
        read.release();
    }

    @Test
    void aFrameThatArrivesInManyReadsIsCompleteOnTheHeap() {
        byte[] payload = new byte[300_000];
        new Random(1).nextBytes(payload);
        EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder(FRAME_BYTES_MAX, Clock.SYSTEM));
        channel.config().setAllocator(starved);
        ExtendedHandle handle = newHandle();
        ByteBuf sent = Unpooled.buffer()
                .writeInt(FrameFormat.LENGTH_MIN + payload.length)
                .writeZero(FrameFormat.PREFIX_BYTES - Integer.BYTES)
                .setByte(FrameFormat.KIND_OFFSET, FrameKind.DATA.number())
                .writeBytes(payload);
        while (sent.isReadable()) {
            ByteBuf read = handle.allocate(starved);
            read.writeBytes(sent, Math.min(sent.readableBytes(), 1000));
            channel.writeInbound(read);
        }

        Frame frame = channel.readInbound();
        byte[] received = new byte[payload.length];
        frame.content().getBytes(frame.content().readerIndex(), received);
        assertEquals(Unpooled.wrappedBuffer(payload), Unpooled.wrappedBuffer(received));
        frame.release();
        channel.finishAndReleaseAll();
    }

    @Test
    void whatIsSentTakesTheReserveAndTheNextWaitsUntilThatIsFlushed() throws Exception {
        ByteBuf first = ConnectionMemory.forSending(starved, 100, 100, () -> {});

        TatamiException taken =
                assertThrows(TatamiException.class, () -> ConnectionMemory.forSending(starved, 100, 100, () -> {}));
        ByteBuf second = ConnectionMemory.forSending(starved, 100, 100, first::release);

        assertEquals(ErrorCode.BUSY, taken.code());
        assertTrue(String.valueOf(taken.getMessage()).contains("-XX:MaxDirectMemorySize"), taken::toString);
        assertEquals(1, starved.refusals);
        second.release();
    }

    @Test
    void aMessageLargerThanTheReserveIsRefused() {
        int bytes = ConnectionMemory.RESERVE_BYTES + 1;
        TatamiException refused =
                assertThrows(TatamiException.class, () -> ConnectionMemory.forSending(starved, bytes, bytes, () -> {}));
        assertEquals(ErrorCode.BUSY, refused.code());
    }

    @Test
    void memoryIsAskedForAgainAfterSomeTime() {
        ExtendedHandle handle = newHandle();
        ByteBufAllocator plenty = UnpooledByteBufAllocator.DEFAULT;
        int reads = 0;
        ByteBuf read = handle.allocate(starved);
        ByteBuf kept = ConnectionMemory.keep(read);
        while (kept != read) {
            kept.release();
            read = handle.allocate(plenty);
            kept = ConnectionMemory.keep(read);
            reads++;
        }
        kept.release();

        assertEquals(1025, reads);
        assertEquals(1, starved.refusals);
    }
}
