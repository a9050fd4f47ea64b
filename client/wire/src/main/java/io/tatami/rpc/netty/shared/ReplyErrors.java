package io.tatami.rpc.netty.shared;

import io.tatami.base.TatamiException;
import io.tatami.protocol.OlderRefusal;
import io.tatami.protocol.RefusalFormat;
import io.tatami.protocol.wire.ReplyHeader;
import org.jspecify.annotations.Nullable;

/** Failures in the headers of replies. */
public final class ReplyErrors {
    private static final int TEXT_CHARS_MAX = 4 << 10;

    private ReplyErrors() {}

    /** What a call fails with; null where it succeeded. */
    public static @Nullable TatamiException of(ReplyHeader header) {
        if (header.getError() == 0) {
            return null;
        }
        return header.hasRefusal()
                ? RefusalFormat.exception(header.getRefusal(), header.getMessage())
                : OlderRefusal.exception(header.getError(), header.getMessage(), header.getDetail());
    }

    /** Tells a failure, its texts shortened where they are long. */
    public static ReplyHeader header(TatamiException failure) {
        return ReplyHeader.newBuilder()
                .setError(failure.code().number())
                .setMessage(RefusalFormat.shortened(Handshake.messageOf(failure), TEXT_CHARS_MAX))
                .setDetail(RefusalFormat.shortened(OlderRefusal.detailText(failure), TEXT_CHARS_MAX))
                .setRefusal(RefusalFormat.of(failure, TEXT_CHARS_MAX))
                .build();
    }
}
