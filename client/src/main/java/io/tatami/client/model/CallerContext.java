package io.tatami.client.model;

import com.google.protobuf.ByteString;
import io.tatami.protocol.RequestLimits;

/**
 * For whom a thread calls, in words of the program's own, for example a task of a job. It is sent with every request of
 * the call, and block servers keep statistics of reads by it.
 *
 * @param bytes in UTF-8, at most {@value RequestLimits#CALLER_CONTEXT_BYTES}; empty for none
 */
public record CallerContext(ByteString bytes) {
    public static final CallerContext NONE = new CallerContext(ByteString.EMPTY);

    /** As much of {@code text} as there is room for, in whole characters. */
    public static CallerContext of(String text) {
        ByteString bytes = Utf8.beginning(text, RequestLimits.CALLER_CONTEXT_BYTES);
        return bytes.isEmpty() ? NONE : new CallerContext(bytes);
    }
}
