package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.tatami.protocol.BlockPayload;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameMemoryTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final FrameMemory memory = new FrameMemory(allocator, 2, RegionLease.NONE);

    @AfterEach
    void nothingIsLeftAllocated() {
        memory.release(true);
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    @Test
    void aBufferIsUsedAgainOnceNobodyElseHoldsItAndNotBefore() {
        ByteBuf first = memory.take(BlockPayload.BYTES_MAX).bytes();
        first.writeInt(1);
        ByteBuf onTheNetwork = first.retainedDuplicate();
        first.release();

        ByteBuf second = memory.take(BlockPayload.BYTES_MAX).bytes();
        assertNotSame(first, second);
        onTheNetwork.release();
        ByteBuf third = memory.take(BlockPayload.BYTES_MAX).bytes();

        assertSame(first, third);
        assertEquals(BlockPayload.BYTES_MAX, third.writableBytes());
        second.release();
        third.release();
    }

    @Test
    void buffersBeyondTheLimitAndSmallOnesAreNotKept() {
        ByteBuf[] taken = {
            memory.take(BlockPayload.BYTES_MAX).bytes(),
            memory.take(BlockPayload.BYTES_MAX).bytes(),
            memory.take(BlockPayload.BYTES_MAX).bytes(),
            memory.take(100).bytes()
        };
        assertEquals(100, taken[3].maxCapacity());
        for (ByteBuf buffer : taken) {
            buffer.release();
        }

        assertEquals(2L * BlockPayload.BYTES_MAX, allocator.metric().usedDirectMemory());
    }

    @Test
    void streamThatRestsKeepsNothing() {
        ByteBuf unacknowledged = memory.take(BlockPayload.BYTES_MAX).bytes();
        memory.take(BlockPayload.BYTES_MAX).bytes().release();
        memory.rest();
        assertEquals(BlockPayload.BYTES_MAX, allocator.metric().usedDirectMemory());
        unacknowledged.release();
        assertEquals(0, allocator.metric().usedDirectMemory());
    }

    @Test
    void whatOthersHoldOutlivesTheMemory() {
        ByteBuf held = memory.take(BlockPayload.BYTES_MAX).bytes();
        held.writeLong(42);
        memory.release(true);

        assertEquals(42, held.readLong());
        held.release();
    }
}
