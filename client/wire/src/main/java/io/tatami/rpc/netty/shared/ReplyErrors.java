package io.tatami.rpc.netty.shared;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ReplyHeader;
import org.jspecify.annotations.Nullable;

/** Failures in the headers of replies. */
public final class ReplyErrors {
    private static final int TEXT_CHARS_MAX = 4 << 10;

    private ReplyErrors() {}

    /** What a call fails with; null where it succeeded. */
    public static @Nullable TatamiException of(ReplyHeader header) {
        return header.getError() == 0
                ? null
                : new TatamiException(
                        ErrorCode.ofNumber(header.getError()), header.getMessage(), header.getDetail(), null);
    }

    /** Tells a failure, its texts shortened where they are long. */
    public static ReplyHeader header(TatamiException failure) {
        return ReplyHeader.newBuilder()
                .setError(failure.code().number())
                .setMessage(shortened(Handshake.messageOf(failure)))
                .setDetail(shortened(failure.detail()))
                .build();
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_CHARS_MAX ? text : text.substring(0, TEXT_CHARS_MAX);
    }
}
