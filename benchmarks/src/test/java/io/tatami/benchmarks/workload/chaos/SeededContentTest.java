package io.tatami.benchmarks.workload.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Bytes that tell where they belong. */
class SeededContentTest {
    private static final int LENGTH = 1_000;

    @Test
    void pieceForPieceItIsTheSame() {
        byte[] whole = new byte[LENGTH];
        SeededContent.fill(5, 0, whole, LENGTH);
        for (int offset : new int[] {1, 7, 8, 123}) {
            byte[] piece = new byte[LENGTH - offset];
            SeededContent.fill(5, offset, piece, piece.length);
            assertTrue(Arrays.equals(Arrays.copyOfRange(whole, offset, LENGTH), piece), "from " + offset);
            assertEquals(-1, SeededContent.firstDifference(5, offset, piece, piece.length));
        }
    }

    @Test
    void bytesOfElsewhereAreFoundAndSayWhereTheyCameFrom() {
        byte[] bytes = new byte[LENGTH];
        SeededContent.fill(5, 3, bytes, LENGTH);
        byte[] foreign = new byte[64];
        SeededContent.fill(70_000, 4_096, foreign, foreign.length);
        System.arraycopy(foreign, 0, bytes, 37, foreign.length);

        int different = SeededContent.firstDifference(5, 3, bytes, LENGTH);
        assertEquals(37, different);
        assertEquals("bytes of file 70000 at 4096, if of any", SeededContent.origin(bytes, LENGTH, different, 3));
        Arrays.fill(bytes, 37, 45, (byte) 0);
        assertEquals("zeros", SeededContent.origin(bytes, LENGTH, 37, 3));
        assertEquals("no whole word is left", SeededContent.origin(bytes, LENGTH, LENGTH - 3, 3));
    }
}
