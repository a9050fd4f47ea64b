package io.tatami.block.service.read;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.tatami.block.volume.ReadUnit;

/**
 * The bytes of a {@link ReadUnit} as the network takes them, without a copy: the unit's buffer goes back to its pool
 * when the last slice of it was sent or dropped.
 */
final class UnitBytes extends UnpooledDirectByteBuf {
    private final ReadUnit unit;

    /** Takes ownership of {@code unit}. */
    UnitBytes(ReadUnit unit) {
        super(UnpooledByteBufAllocator.DEFAULT, unit.data(), unit.data().remaining());
        this.unit = unit;
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        unit.close();
    }
}
