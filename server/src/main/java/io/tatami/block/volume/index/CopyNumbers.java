package io.tatami.block.volume.index;

import io.tatami.base.Check;
import io.tatami.base.Generation;

/**
 * The durable numbers of a copy.
 *
 * @param number of the copy, from the block's home; 0 for a copy that was granted with the block. Never changes
 * @param generation of the bytes: raised by a writer that goes on with the block, and by a finalization
 * @param promised no writer and no finalization below it is taken; at least {@code generation}
 */
public record CopyNumbers(int number, Generation generation, Generation promised) {
    public CopyNumbers {
        Check.check(number >= 0, "copy number %d", number);
        Check.check(!promised.isBelow(generation), "generation %s above the promised %s", generation, promised);
    }

    /** Of a copy that is begun, and not fenced. */
    public static CopyNumbers begun(int number, Generation generation) {
        return new CopyNumbers(number, generation, generation);
    }

    /** With bytes of this generation, which is a promise too. */
    public CopyNumbers adopting(Generation adopted) {
        return adopted.equals(generation)
                ? this
                : new CopyNumbers(number, adopted, promised.isAbove(adopted) ? promised : adopted);
    }

    /** Fenced; the bytes are what they were. */
    public CopyNumbers promising(Generation fenced) {
        return promised.isBelow(fenced) ? new CopyNumbers(number, generation, fenced) : this;
    }

    /** Whether they say no more than the generation does. */
    boolean isGenerationOnly() {
        return number == 0 && promised.equals(generation);
    }
}
