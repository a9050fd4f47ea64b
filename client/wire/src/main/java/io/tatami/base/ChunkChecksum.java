package io.tatami.base;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksums of block data: a CRC32C for each chunk of {@value #CHUNK_BYTES} bytes, counted from the start of the
 * block; the last chunk may be short. A range that begins or ends inside a chunk is a sequence of <em>pieces</em>: what
 * is left of it when it is cut at the boundaries of chunks. Checksums of neighbouring pieces are joined by
 * {@link #concat} without reading the bytes again.
 */
public final class ChunkChecksum {
    public static final int CHUNK_BYTES = 64 << 10;

    /** The checksum of no bytes. */
    public static final int EMPTY = 0;

    /** CRC32C's polynomial (Castagnoli), bits reversed. */
    private static final int POLYNOMIAL = 0x82f63b78;

    /** {@code SHIFTS[k]} holds x^(8·2^k) mod the polynomial: what 2^k zero bytes multiply a checksum by. */
    private static final int[] SHIFTS = shifts();

    private ChunkChecksum() {}

    /** How many pieces the {@code lengthBytes} bytes from {@code offsetBytes} of a block are cut into. */
    public static int pieces(long offsetBytes, long lengthBytes) {
        if (lengthBytes == 0) {
            return 0;
        }
        return (int) ((offsetBytes + lengthBytes - 1) / CHUNK_BYTES - offsetBytes / CHUNK_BYTES) + 1;
    }

    /** How long the first piece of a range is that begins at {@code offsetBytes} and has {@code lengthBytes} bytes. */
    public static int firstPieceBytes(long offsetBytes, long lengthBytes) {
        return (int) Math.min(lengthBytes, CHUNK_BYTES - offsetBytes % CHUNK_BYTES);
    }

    /** The CRC32C of the {@code length} bytes of {@code bytes} from {@code index}; its position and limit stay. */
    public static int of(ByteBuffer bytes, int index, int length) {
        CRC32C crc = new CRC32C();
        ByteBuffer view = bytes.duplicate();
        view.limit(index + length).position(index);
        crc.update(view);
        return (int) crc.getValue();
    }

    /**
     * The checksums of the pieces of {@code bytes}, from its position to its limit, which stay.
     *
     * @param offsetBytes where in the block the first byte lies
     */
    public static int[] ofPieces(long offsetBytes, ByteBuffer bytes) {
        int[] checksums = new int[pieces(offsetBytes, bytes.remaining())];
        int index = bytes.position();
        for (int i = 0; i < checksums.length; i++) {
            int length = firstPieceBytes(offsetBytes + index - bytes.position(), bytes.limit() - index);
            checksums[i] = of(bytes, index, length);
            index += length;
        }
        return checksums;
    }

    /**
     * The checksum of bytes A followed by bytes B, of which only the checksums are known. A is shifted by the length of
     * B as a polynomial over GF(2), by squaring (Adler's crc32_combine in zlib does the same with matrices).
     */
    public static int concat(int checksumA, int checksumB, long lengthBytesB) {
        int shifted = checksumA;
        long length = lengthBytesB;
        for (int k = 0; length != 0; k++, length >>>= 1) {
            if ((length & 1) != 0) {
                shifted = multiply(SHIFTS[k], shifted);
            }
        }
        return shifted ^ checksumB;
    }

    /** The product of two polynomials modulo CRC32C's; bit 31 is the coefficient of x^0. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bit = 31; bit >= 0; bit--) {
            if ((a >>> bit & 1) != 0) {
                product ^= shifted;
            }
            shifted = shifted >>> 1 ^ ((shifted & 1) != 0 ? POLYNOMIAL : 0);
        }
        return product;
    }

    private static int[] shifts() {
        int[] shifts = new int[Long.SIZE];
        shifts[0] = 1 << (31 - Byte.SIZE);
        for (int k = 1; k < shifts.length; k++) {
            shifts[k] = multiply(shifts[k - 1], shifts[k - 1]);
        }
        return shifts;
    }
}
