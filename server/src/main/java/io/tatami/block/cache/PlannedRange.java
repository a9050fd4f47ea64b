package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.Generation;
import io.tatami.block.device.Device;

/**
 * Bytes of a block that will be read, from the first to the last.
 *
 * @param generation the copy must have this generation at least
 * @param offsetBytes where they begin in the block
 * @param lengthBytes at least 1
 */
public record PlannedRange(BlockId block, Generation generation, long offsetBytes, long lengthBytes) {
    public PlannedRange {
        Check.check(offsetBytes >= 0 && lengthBytes > 0, "%d bytes at %d are planned", lengthBytes, offsetBytes);
    }

    /** The number in the block of the first unit that has some of the bytes. */
    int firstUnit() {
        return (int) (offsetBytes / Device.UNIT_BYTES);
    }

    /** How many units have some of them. */
    int units() {
        return (int) ((offsetBytes + lengthBytes - 1) / Device.UNIT_BYTES) - firstUnit() + 1;
    }

    boolean contains(BlockId other, int unit) {
        return block.equals(other) && unit >= firstUnit() && unit < firstUnit() + units();
    }
}
