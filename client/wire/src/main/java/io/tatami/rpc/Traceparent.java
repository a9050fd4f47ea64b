package io.tatami.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * The text by which one request of a program is followed over all servers that work for it, in the form of the header
 * {@code traceparent} of W3C Trace Context: {@code 00-}, the trace as 32 hexadecimal digits, {@code -}, the caller as
 * 16, and {@code -01}. All attempts of a request have the same.
 */
public final class Traceparent {
    /** Its length, in bytes. */
    public static final int BYTES = 55;

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int TRACE_AT = 3;
    private static final int CALLER_AT = 36;
    private static final int DIGITS_OF_LONG = 16;

    private Traceparent() {}

    /** A new one, by chance that no seed replays: nothing is decided by what a trace is called. */
    public static ByteString next() {
        RandomGenerator random = ThreadLocalRandom.current();
        byte[] text = new byte[BYTES];
        text[0] = '0';
        text[1] = '0';
        text[2] = '-';
        // Neither number may be 0.
        put(text, TRACE_AT, random.nextLong() | 1);
        put(text, TRACE_AT + DIGITS_OF_LONG, random.nextLong());
        text[CALLER_AT - 1] = '-';
        put(text, CALLER_AT, random.nextLong() | 1);
        text[BYTES - 3] = '-';
        text[BYTES - 2] = '0';
        text[BYTES - 1] = '1';
        return UnsafeByteOperations.unsafeWrap(text);
    }

    private static void put(byte[] text, int at, long number) {
        for (int i = 0; i < DIGITS_OF_LONG; i++) {
            text[at + i] = DIGITS[(int) (number >>> (4 * (DIGITS_OF_LONG - 1 - i))) & 0xf];
        }
    }

    /** Whether a client sent what may go into a log: digits and hyphens, where they belong. */
    public static boolean isValid(ByteString text) {
        if (text.size() != BYTES) {
            return false;
        }
        for (int i = 0; i < BYTES; i++) {
            byte character = text.byteAt(i);
            boolean isSeparator = i == 2 || i == CALLER_AT - 1 || i == BYTES - 3;
            boolean isDigit = (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
            if (isSeparator ? character != '-' : !isDigit) {
                return false;
            }
        }
        return true;
    }
}
