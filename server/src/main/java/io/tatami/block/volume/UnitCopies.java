package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.PendingAccess;
import org.jspecify.annotations.Nullable;

/**
 * Copies of 4 MiB units of blocks on a faster device, which a reader asks for before it goes to the volume. A copy need
 * not be right: the reader checks its bytes like those of the volume, and where they are wrong or do not come it reads
 * the volume. Safe for use by many threads.
 */
public interface UnitCopies {
    /** No copy of anything. */
    UnitCopies NONE = (block, unit, endBytes, readsToItsEnd) -> Answer.UNPLANNED;

    /**
     * Asked once for each unit, right before a reader fetches it.
     *
     * @param unit the unit's number in the block, from 0
     * @param endBytes up to where in the block the reader needs bytes; the copy has them, or is not given out
     * @param readsToItsEnd whether the reader will have passed the unit after this
     */
    Answer ask(BlockId block, int unit, long endBytes, boolean readsToItsEnd);

    /** Whether the device of the copies holds no reader up for longer than readers are patient for. */
    default boolean answersSoon() {
        return true;
    }

    /**
     * What there is of a unit.
     *
     * @param copy null for none; whoever is given it ends its use once, with {@link Copy#done}, or with what is wrong
     *     with it
     * @param late somebody said before that the unit would be read, and it is not there yet
     */
    record Answer(@Nullable Copy copy, boolean late) {
        static final Answer UNPLANNED = new Answer(null, false);
    }

    /** A copy that stays where it is while it is used. */
    interface Copy {
        /**
         * Waits, for a bounded time, until a copy that is still being made is there.
         *
         * @return false where it will not be, or not soon
         */
        boolean awaitReady();

        /**
         * Begins to read the block's bytes from {@code start}, a multiple of 4 KiB, to {@code end}, both in the unit.
         */
        PendingAccess fetch(long start, long end, AlignedBuffer into);

        /** How long a reader waits for what it fetches. */
        long waitMillisMax();

        /** The bytes did not come in time; the reader reads the volume, and the copy is given up. */
        void tooLate();

        /** The bytes were right, or not needed. */
        void done();

        /** The bytes were wrong; the copy is given up. */
        void bad();

        /** The copies' device failed; all copies are given up. */
        void failed(TatamiException failure);
    }
}
