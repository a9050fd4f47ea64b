package io.tatami.block.volume.index;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.Generation;
import io.tatami.block.device.Device;
import io.tatami.block.volume.space.Extent;

/**
 * What the index says of a block: the durable truth.
 *
 * @param numbers of this copy
 * @param extent where its bytes are; empty only for a finalized block without bytes
 * @param lengthBytes how many bytes are durable
 * @param tail the bytes behind the last whole 4 KiB of a block being written: they are only here, and not on the
 *     device, until their sector is full or the block is finalized. Empty for a finalized block. Must not be changed.
 */
public record BlockRecord(
        BlockId block, CopyNumbers numbers, Extent extent, long lengthBytes, State state, byte[] tail) {
    public static final byte[] NO_TAIL = new byte[0];

    /** The numbers are part of the format. */
    public enum State {
        WRITING(1),
        FINALIZED(2);

        private final int number;

        State(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }

    public BlockRecord {
        Check.check(lengthBytes >= 0 && lengthBytes <= extent.lengthBytes(), "%d bytes in %s", lengthBytes, extent);
        int wanted = state == State.FINALIZED ? 0 : (int) (lengthBytes % Device.ALIGNMENT_BYTES);
        Check.check(tail.length == wanted, "a tail of %d bytes at length %d", tail.length, lengthBytes);
    }

    /** Of a copy that was granted with its block, and not fenced. */
    public BlockRecord(
            BlockId block, Generation generation, Extent extent, long lengthBytes, State state, byte[] tail) {
        this(block, CopyNumbers.begun(0, generation), extent, lengthBytes, state, tail);
    }

    /** Of the bytes. */
    public Generation generation() {
        return numbers.generation();
    }

    public BlockRecord withNumbers(CopyNumbers changed) {
        return new BlockRecord(block, changed, extent, lengthBytes, state, tail);
    }

    public BlockRecord withExtent(Extent newExtent) {
        return new BlockRecord(block, numbers, newExtent, lengthBytes, state, tail);
    }

    /** Whether the index need not be told {@code other} when it has this. */
    public boolean sameAs(BlockRecord other) {
        return extent.equals(other.extent)
                && numbers.equals(other.numbers)
                && lengthBytes == other.lengthBytes
                && state == other.state;
    }

    public boolean isFinalized() {
        return state == State.FINALIZED;
    }
}
