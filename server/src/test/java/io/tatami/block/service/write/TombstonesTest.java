package io.tatami.block.service.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import org.junit.jupiter.api.Test;

class TombstonesTest {
    private static final BlockId BLOCK = new BlockId(1);

    private final Tombstones tombstones = new Tombstones();

    private void taken(int copyNumber, long generation) throws TatamiException {
        tombstones.requireNone(BLOCK, copyNumber, Generation.of(generation));
    }

    private void refused(int copyNumber, long generation) {
        TatamiException failure = assertThrows(TatamiException.class, () -> taken(copyNumber, generation));
        assertEquals(ErrorCode.FENCED, failure.code());
    }

    @Test
    void deletedCopyIsNotBegunAgainAndOneWithAHigherNumberIs() throws TatamiException {
        tombstones.addDeleted(BLOCK, 0, Generation.of(3));
        refused(0, 3);
        taken(0, 4);
        taken(1, 3);
        tombstones.addDeleted(BLOCK, 5, Generation.NONE);
        refused(1, 9);
        refused(5, 9);
        taken(6, 1);
        refused(0, 3);
        taken(0, 4);
        tombstones.addDeleted(BLOCK, 4, Generation.NONE);
        refused(5, 9);
    }

    @Test
    void fenceRefusesCopiesOfAnyNumberBelowItsGenerationOnly() throws TatamiException {
        tombstones.addFenced(BLOCK, Generation.of(3));
        for (int copyNumber = 0; copyNumber < 3; copyNumber++) {
            refused(copyNumber, 2);
            taken(copyNumber, 3);
        }
        tombstones.requireNone(new BlockId(2), 0, Generation.FIRST);
    }
}
