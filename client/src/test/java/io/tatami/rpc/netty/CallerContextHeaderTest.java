package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.tatami.base.ErrorCode;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.ReplyHeader;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.rpc.EchoService;
import org.junit.jupiter.api.Test;

/** The caller context in the header of a request, from a peer that speaks for itself. */
final class CallerContextHeaderTest {
    private static byte[] request(int contextBytes) {
        return RawPeer.frame(
                FrameKind.REQUEST.number(),
                1,
                RequestHeader.newBuilder()
                        .setProtocolVersion(1)
                        .setMethod(EchoService.ECHO.number())
                        .setCallerContext(ByteString.copyFrom(new byte[contextBytes]))
                        .build()
                        .toByteString(),
                StringValue.of("said").toByteString(),
                new byte[0]);
    }

    @Test
    void contextAtTheLimitIsServed() throws Exception {
        try (Rig rig = new Rig();
                RawPeer peer = RawPeer.connect(rig.address)) {
            peer.greet();
            peer.send(request(RequestLimits.CALLER_CONTEXT_BYTES));
            assertEquals(
                    0,
                    ReplyHeader.parseFrom(peer.expect(FrameKind.REPLY).header()).getError());
        }
    }

    @Test
    void contextAboveTheLimitIsMalformed() throws Exception {
        try (Rig rig = new Rig();
                RawPeer peer = RawPeer.connect(rig.address)) {
            peer.greet();
            peer.send(request(RequestLimits.CALLER_CONTEXT_BYTES + 1));
            Goodbye goodbye = Goodbye.parseFrom(peer.expect(FrameKind.GOODBYE).body());
            assertEquals(ErrorCode.MALFORMED.number(), goodbye.getError());
            assertEquals(
                    "the caller context of a request header has 129 bytes; the limit is 128", goodbye.getMessage());
        }
    }
}
