package io.tatami.client.model;

import com.google.protobuf.ByteString;

/** Texts that have room for so many bytes of UTF-8. */
final class Utf8 {
    private Utf8() {}

    /** As much of the beginning as there is room for, in whole characters. */
    static ByteString beginning(String text, int bytesMax) {
        ByteString all = ByteString.copyFromUtf8(text);
        if (all.size() <= bytesMax) {
            return all;
        }
        int end = bytesMax;
        while (isContinuation(all.byteAt(end))) {
            end--;
        }
        return all.substring(0, end);
    }

    /** Whether a character goes on with this byte. */
    private static boolean isContinuation(byte value) {
        return (value & 0xc0) == 0x80;
    }
}
