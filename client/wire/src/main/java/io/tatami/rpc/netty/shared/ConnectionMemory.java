package io.tatami.rpc.netty.shared;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.DirectMemory;

/**
 * The buffers of connections. Where the process has no direct memory left, a connection goes on with a small reserve of
 * its event loop, and what arrives is kept on the heap: streams share the connection, and none of them may end because
 * another one's bytes fill the memory.
 */
final class ConnectionMemory implements RecvByteBufAllocator {
    /** Of each event loop, for what arrives and for what leaves. */
    static final int RESERVE_BYTES = 16 << 10;

    /**
     * The JVM collects garbage, and waits for it, before it says that there is no direct memory: it is not asked again
     * for so many allocations.
     */
    private static final int ALLOCATIONS_WITHOUT = 1024;

    private static final FastThreadLocal<Reserve> RESERVES = new FastThreadLocal<>() {
        @Override
        protected Reserve initialValue() {
            return new Reserve();
        }

        @Override
        protected void onRemoval(Reserve reserve) {
            reserve.incoming.release();
            reserve.outgoing.release();
        }
    };

    private final RecvByteBufAllocator sizes;

    /** @param sizes says how large a buffer for the next read is */
    ConnectionMemory(RecvByteBufAllocator sizes) {
        this.sizes = sizes;
    }

    /** One event loop's. A buffer is free while the only reference to it is the one held here. */
    private static final class Reserve {
        private final ByteBuf incoming = UnpooledByteBufAllocator.DEFAULT.directBuffer(RESERVE_BYTES, RESERVE_BYTES);
        private final ByteBuf outgoing = UnpooledByteBufAllocator.DEFAULT.directBuffer(RESERVE_BYTES, RESERVE_BYTES);
        private int allocationsWithout;

        /** Whether direct memory is to be asked for. */
        boolean asks() {
            if (allocationsWithout == 0) {
                return true;
            }
            allocationsWithout--;
            return false;
        }

        void refused() {
            allocationsWithout = ALLOCATIONS_WITHOUT;
        }
    }

    @Override
    public ExtendedHandle newHandle() {
        // From here on it is there: the event loop asks for a handle before its first read.
        Reserve reserve = RESERVES.get();
        return new ReservedHandle((ExtendedHandle) sizes.newHandle(), reserve);
    }

    /** What was read, which may be kept as long as is needed; ownership passes. On an event loop. */
    static ByteBuf keep(ByteBuf read) {
        if (read != RESERVES.get().incoming) {
            return read;
        }
        try {
            return Unpooled.copiedBuffer(read);
        } finally {
            read.release();
        }
    }

    /** An empty buffer for a part of a frame that arrives; on an event loop. */
    static ByteBuf forContent(ByteBufAllocator allocator, int bytes) {
        Reserve reserve = RESERVES.get();
        if (reserve.asks()) {
            try {
                return allocator.directBuffer(bytes, bytes);
            } catch (OutOfMemoryError e) {
                reserve.refused();
            }
        }
        return allocator.heapBuffer(bytes, bytes);
    }

    /**
     * An empty buffer for what is sent; on an event loop.
     *
     * @param flush brings to the socket what was written before, which may hold the reserve
     * @throws TatamiException BUSY where memory for even {@code neededBytes} cannot be had
     */
    static ByteBuf forSending(ByteBufAllocator allocator, int wantedBytes, int neededBytes, Runnable flush)
            throws TatamiException {
        Reserve reserve = RESERVES.get();
        OutOfMemoryError refusal = null;
        if (neededBytes > RESERVE_BYTES || reserve.asks()) {
            try {
                return allocator.directBuffer(wantedBytes, wantedBytes);
            } catch (OutOfMemoryError e) {
                reserve.refused();
                refusal = e;
            }
        }
        if (reserve.outgoing.refCnt() > 1) {
            flush.run();
        }
        if (neededBytes > RESERVE_BYTES || reserve.outgoing.refCnt() > 1) {
            throw new TatamiException(
                    ErrorCode.BUSY, "cannot send " + neededBytes + " bytes: " + DirectMemory.REMEDY, refusal);
        }
        return reserve.outgoing.clear().retain();
    }

    /** Falls back on the reserve; the decoder gives it back at once by {@link #keep}. */
    private static final class ReservedHandle implements ExtendedHandle {
        private final ExtendedHandle sizes;
        private final Reserve reserve;

        ReservedHandle(ExtendedHandle sizes, Reserve reserve) {
            this.sizes = sizes;
            this.reserve = reserve;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            if (reserve.asks()) {
                try {
                    return sizes.allocate(allocator);
                } catch (OutOfMemoryError e) {
                    reserve.refused();
                }
            }
            return reserve.incoming.clear().retain();
        }

        @Override
        public int guess() {
            return sizes.guess();
        }

        @Override
        public void reset(ChannelConfig config) {
            sizes.reset(config);
        }

        @Override
        public void incMessagesRead(int messages) {
            sizes.incMessagesRead(messages);
        }

        @Override
        public void lastBytesRead(int bytes) {
            sizes.lastBytesRead(bytes);
        }

        @Override
        public int lastBytesRead() {
            return sizes.lastBytesRead();
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            sizes.attemptedBytesRead(bytes);
        }

        @Override
        public int attemptedBytesRead() {
            return sizes.attemptedBytesRead();
        }

        @Override
        public boolean continueReading() {
            return sizes.continueReading();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return sizes.continueReading(maybeMoreData);
        }

        @Override
        public void readComplete() {
            sizes.readComplete();
        }
    }
}
