package io.tatami.block.service;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.tatami.base.MemoryBudget;
import java.nio.ByteBuffer;

/** A copy on the heap of bytes for the network, counted in a {@link MemoryBudget} until it was sent or dropped. */
final class CopiedBytes extends UnpooledHeapByteBuf {
    private final MemoryBudget budget;
    private final int countedBytes;

    /** @param budget of which as much as {@code bytes} has was taken; gets it back */
    CopiedBytes(ByteBuffer bytes, MemoryBudget budget) {
        super(UnpooledByteBufAllocator.DEFAULT, bytes.remaining(), bytes.remaining());
        this.budget = budget;
        this.countedBytes = bytes.remaining();
        writeBytes(bytes);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        budget.giveBack(countedBytes);
    }
}
