package io.tatami.block.service.read;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;

/** A copy on the heap of bytes for the network. */
final class CopiedBytes extends UnpooledHeapByteBuf {
    private final IntConsumer gone;
    private final int countedBytes;

    /** @param gone is told the length when the copy was sent or dropped */
    CopiedBytes(ByteBuffer bytes, IntConsumer gone) {
        super(UnpooledByteBufAllocator.DEFAULT, bytes.remaining(), bytes.remaining());
        this.gone = gone;
        this.countedBytes = bytes.remaining();
        writeBytes(bytes);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        gone.accept(countedBytes);
    }
}
