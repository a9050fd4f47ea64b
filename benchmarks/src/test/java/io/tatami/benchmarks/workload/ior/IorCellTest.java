package io.tatami.benchmarks.workload.ior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IorCellTest {
    private static final long MEBIBYTE = 1 << 20;

    @Test
    void filesOfManyWritersTogetherFillAllVolumesTimes() {
        assertEquals(20 * MEBIBYTE, new IorCell(8, 32, ByteSize.of("1m")).fileBytes(80 * MEBIBYTE));
    }

    @Test
    void fewerWritersThanServersFillAsManyVolumesTimes() {
        assertEquals(80 * MEBIBYTE, new IorCell(8, 2, ByteSize.of("1m")).fileBytes(80 * MEBIBYTE));
    }

    @Test
    void aFileIsWholeTransfersAndNoShorterThanTheSmallestBlock() {
        assertEquals(4 * MEBIBYTE, new IorCell(1, 128, ByteSize.of("4m")).fileBytes(80 * MEBIBYTE));
        assertEquals(MEBIBYTE, new IorCell(1, 128, ByteSize.of("4k")).fileBytes(80 * MEBIBYTE));
    }

    @Test
    void aFileIsOneBlockUpToOneGibibyte() {
        assertEquals(3 * MEBIBYTE, IorCell.blockBytes(2 * MEBIBYTE + 1));
        assertEquals(1_024 * MEBIBYTE, IorCell.blockBytes(5_000 * MEBIBYTE));
    }

    @Test
    void nodesHaveWritersInTurnsAndEachWriterHasOneNumber() {
        IorCell cell = new IorCell(3, 8, ByteSize.of("1m"));
        assertEquals(8, IntStream.range(0, 3).map(cell::writersOn).sum());
        assertEquals(0, cell.firstWriterOn(0));
        for (int node = 0; node < 2; node++) {
            assertEquals(cell.firstWriterOn(node) + cell.writersOn(node), cell.firstWriterOn(node + 1));
        }
        assertEquals(2, cell.writersOn(2));
    }

    @Test
    void oneWriterIsOnTheFirstNodeAndLeavesTheOthersIdle() {
        IorCell cell = new IorCell(4, 1, ByteSize.of("1m"));
        assertEquals(1, cell.writersOn(0));
        assertEquals(0, cell.writersOn(3));
        assertTrue(cell.leavesServersIdle());
        assertFalse(new IorCell(4, 4, ByteSize.of("1m")).leavesServersIdle());
    }

    @Test
    void aSizeOfNothingOrOfMoreThanAGibibyteIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> ByteSize.of("0"));
        assertThrows(IllegalArgumentException.class, () -> ByteSize.of("2g"));
        assertThrows(IllegalArgumentException.class, () -> ByteSize.of("many"));
    }
}
