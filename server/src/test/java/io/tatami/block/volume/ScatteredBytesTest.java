package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every case is made from its seed, which is its name; replay one by leaving the others out. */
class ScatteredBytesTest {
    private static final BlockId BLOCK = new BlockId(7);
    private static final int BYTES_MAX = 300_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void bytesAreTakenInTheirOrderWhereverTheyAreCut(long seed) {
        Random random = new Random(seed);
        byte[] bytes = bytes(random, random.nextInt(BYTES_MAX));
        ScatteredBytes scattered = ScatteredBytes.of(cut(random, bytes));
        ByteBuffer into = ByteBuffer.allocate(bytes.length);

        while (into.hasRemaining()) {
            int at = into.position();
            int length = 1 + random.nextInt(into.remaining());
            scattered.take(length, into, at);
            into.position(at + length);
            assertEquals(into.remaining(), scattered.remaining());
        }
        assertArrayEquals(bytes, into.array());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aBlockWrittenFromScatteredBytesReadsBack(long seed) throws TatamiException {
        Random random = new Random(seed);
        try (SimVolume sim = new SimVolume(16 << 20, seed)) {
            byte[] bytes = bytes(random, 10_000_000);
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, bytes.length, false);
            int at = 0;
            while (at < bytes.length) {
                byte[] frame =
                        Arrays.copyOfRange(bytes, at, at + Math.min(bytes.length - at, 1 + random.nextInt(BYTES_MAX)));
                append(writer, random, frame);
                at += frame.length;
            }
            writer.finish();

            assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
        }
    }

    /** Refused first with a wrong checksum, which takes nothing of the unit that it is in. */
    private static void append(BlockWriter writer, Random random, byte[] frame) throws TatamiException {
        long start = writer.lengthBytes();
        int[] wrong = ChunkChecksum.ofPieces(start, ByteBuffer.wrap(frame));
        int wrongPiece = random.nextInt(wrong.length);
        wrong[wrongPiece] ^= 1 << random.nextInt(Integer.SIZE);
        TatamiException failure =
                assertThrows(TatamiException.class, () -> writer.append(ScatteredBytes.of(cut(random, frame)), wrong));
        assertEquals(ErrorCode.CORRUPT, failure.code());
        long wrongStart =
                wrongPiece == 0 ? start : (start / ChunkChecksum.CHUNK_BYTES + wrongPiece) * ChunkChecksum.CHUNK_BYTES;
        assertEquals(Math.max(start, wrongStart / Device.UNIT_BYTES * Device.UNIT_BYTES), writer.lengthBytes());

        int taken = (int) (writer.lengthBytes() - start);
        ByteBuffer rest = ByteBuffer.wrap(frame, taken, frame.length - taken);
        int[] checksums = ChunkChecksum.ofPieces(writer.lengthBytes(), rest);
        ScatteredBytes scattered = ScatteredBytes.of(cut(random, Arrays.copyOfRange(frame, taken, frame.length)));
        writer.append(scattered, checksums);
        assertEquals(0, scattered.remaining());
    }

    /** Parts of any length, empty ones too, of direct and of heap memory. */
    private static ByteBuffer[] cut(Random random, byte[] bytes) {
        List<ByteBuffer> parts = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int length = Math.min(bytes.length - at, random.nextInt(random.nextBoolean() ? 10 : 100_000));
            int before = random.nextInt(5);
            ByteBuffer part = random.nextBoolean()
                    ? ByteBuffer.allocateDirect(before + length + 3)
                    : ByteBuffer.allocate(before + length + 3);
            part.put(before, bytes, at, length);
            parts.add(part.limit(before + length).position(before));
            at += length;
        }
        return parts.toArray(ByteBuffer[]::new);
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
