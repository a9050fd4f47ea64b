package io.tatami.rpc.netty.client;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.protocol.wire.Welcome;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.netty.shared.Handshake;

/**
 * What a client and a server agreed on in their handshake.
 *
 * @param frameBytesMax the largest frame that the server takes
 */
record NegotiatedProtocol(int version, ByteString clusterId, int frameBytesMax) {
    /** Before the handshake. */
    static final NegotiatedProtocol NONE = new NegotiatedProtocol(0, ByteString.EMPTY, FrameFormat.FRAME_BYTES_MAX);

    /** What a server said, after {@link Handshake#accept}. */
    static NegotiatedProtocol of(Welcome welcome) {
        int frameBytesMax = Math.max(welcome.getFrameBytesMax(), FrameFormat.FRAME_BYTES_LEAST);
        return new NegotiatedProtocol(
                welcome.getVersion(), welcome.getClusterId(), Math.min(frameBytesMax, FrameFormat.FRAME_BYTES_MAX));
    }

    /** @param remainingMillis how long the client still waits; of no account where the options set no timeout */
    RequestHeader header(CallOptions options, int methodNumber, long remainingMillis) {
        RequestHeader.Builder header = RequestHeader.newBuilder()
                .setProtocolVersion(version)
                .setClusterId(clusterId)
                .setSession(options.session().value())
                .setNumber(options.number())
                .setLowWaterMark(options.lowWaterMark())
                .setCredential(options.credential())
                .setFirstAttempt(options.firstAttempt())
                .setMethod(methodNumber)
                .setCallerContext(options.callerContext());
        if (!options.traceparent().isEmpty()) {
            header.setTraceparent(options.traceparent());
        }
        if (options.timeoutMillis() > 0) {
            header.setDeadlineMillis((int) Math.max(1, Math.min(remainingMillis, Integer.MAX_VALUE)));
        }
        GroupId group = options.group();
        if (group != null) {
            header.setGroup(group.value());
        }
        return header.build();
    }
}
