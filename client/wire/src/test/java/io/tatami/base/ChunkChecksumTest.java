package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkChecksumTest {
    @Test
    void knownVectorOfRfc3720() {
        ByteBuffer digits = ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII));

        assertEquals(0xe3069283, ChunkChecksum.of(digits, 0, 9));
    }

    @Test
    void concatenationEqualsTheChecksumOfTheJoinedBytes() {
        Random random = new Random(11);
        for (int round = 0; round < 200; round++) {
            byte[] bytes = new byte[random.nextInt(70_000)];
            random.nextBytes(bytes);
            int cut = bytes.length == 0 ? 0 : random.nextInt(bytes.length + 1);
            ByteBuffer buffer = ByteBuffer.wrap(bytes);

            int joined = ChunkChecksum.concat(
                    ChunkChecksum.of(buffer, 0, cut),
                    ChunkChecksum.of(buffer, cut, bytes.length - cut),
                    bytes.length - cut);

            assertEquals(ChunkChecksum.of(buffer, 0, bytes.length), joined, "cut at " + cut + " of " + bytes.length);
        }
    }

    @Test
    void piecesAreCutAtTheBoundariesOfChunks() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(2 * ChunkChecksum.CHUNK_BYTES);
        long offset = ChunkChecksum.CHUNK_BYTES - 10;

        int[] checksums = ChunkChecksum.ofPieces(offset, bytes);

        assertEquals(3, ChunkChecksum.pieces(offset, bytes.remaining()));
        assertArrayEquals(
                new int[] {
                    ChunkChecksum.of(bytes, 0, 10),
                    ChunkChecksum.of(bytes, 10, ChunkChecksum.CHUNK_BYTES),
                    ChunkChecksum.of(bytes, 10, ChunkChecksum.CHUNK_BYTES - 10)
                },
                checksums);
    }

    @Test
    void anEmptyRangeHasNoPieces() {
        assertEquals(0, ChunkChecksum.pieces(17, 0));
        assertEquals(0, ChunkChecksum.ofPieces(17, ByteBuffer.allocate(0)).length);
    }
}
