package io.tatami.benchmarks.workload.chaos;

import java.util.Locale;

/**
 * What is in the files: each word of eight bytes, at a multiple of eight, tells its file and its place to who knows the
 * way back. So bytes at a wrong place say where they come from.
 */
final class SeededContent {
    static final int WORD_BYTES = 8;

    private static final int INDEX_BITS = 36;
    private static final long FIRST = 0x9E3779B97F4A7C15L;
    private static final long SECOND = 0xBF58476D1CE4E5B9L;
    private static final long FIRST_BACK = inverse(FIRST);
    private static final long SECOND_BACK = inverse(SECOND);
    private static final int SHIFT = 32;

    private SeededContent() {}

    /** Of an odd number, modulo two to the power of 64, by Newton's iteration. */
    private static long inverse(long odd) {
        long found = odd;
        for (int i = 0; i < 6; i++) {
            found *= 2 - odd * found;
        }
        return found;
    }

    private static long word(long file, long index) {
        long mixed = (file << INDEX_BITS | index) * FIRST;
        mixed ^= mixed >>> SHIFT;
        return mixed * SECOND;
    }

    /** Fills {@code bytes} with what a file has from {@code offset} on. */
    static void fill(long file, long offset, byte[] bytes, int length) {
        long word = 0;
        for (int i = 0; i < length; i++) {
            long place = offset + i;
            int inWord = (int) (place % WORD_BYTES);
            if (i == 0 || inWord == 0) {
                word = word(file, place / WORD_BYTES);
            }
            bytes[i] = (byte) (word >>> (inWord * Byte.SIZE));
        }
    }

    /** The first of {@code bytes} that a file does not have from {@code offset} on; -1 where there is none. */
    static int firstDifference(long file, long offset, byte[] bytes, int length) {
        byte[] expected = new byte[length];
        fill(file, offset, expected, length);
        for (int i = 0; i < length; i++) {
            if (expected[i] != bytes[i]) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Where the first whole word at or behind {@code at} comes from; {@code offset} is the file's of the first byte.
     */
    static String origin(byte[] bytes, int length, int at, long offset) {
        int begin = at;
        while ((offset + begin) % WORD_BYTES != 0) {
            begin++;
        }
        if (begin + WORD_BYTES > length) {
            return "no whole word is left";
        }
        long word = 0;
        for (int i = WORD_BYTES - 1; i >= 0; i--) {
            word = word << Byte.SIZE | (bytes[begin + i] & 0xFF);
        }
        if (word == 0) {
            return "zeros";
        }
        long mixed = word * SECOND_BACK;
        mixed ^= mixed >>> SHIFT;
        mixed *= FIRST_BACK;
        long index = mixed & (1L << INDEX_BITS) - 1;
        return String.format(
                Locale.ROOT, "bytes of file %d at %d, if of any", mixed >>> INDEX_BITS, index * WORD_BYTES);
    }
}
