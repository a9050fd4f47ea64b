package io.tatami.block.service.write;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.client.block.SharedUnits;
import io.tatami.protocol.wire.WriteFrame;
import org.junit.jupiter.api.Test;

/** What a frame takes of its writer's window. */
final class ArrivedFrameTest {
    @Test
    void announcedBytesCountAsPayloadDoes() {
        assertEquals(1_000, windowBytes(WriteFrame.getDefaultInstance(), 1_000));
        assertEquals(1_000, windowBytes(announcement(1_000), 0));
    }

    @Test
    void lengthsThatCannotBeCountNeitherForNothingNorWithoutEnd() {
        assertEquals(0, windowBytes(announcement(Integer.MIN_VALUE), 0));
        assertEquals(SharedUnits.UNIT_BYTES, windowBytes(announcement(Integer.MAX_VALUE), 0));
        assertEquals(1_000, windowBytes(WriteFrame.newBuilder().setLength(5).build(), 1_000), "no unit is named");
    }

    private static WriteFrame announcement(int length) {
        return WriteFrame.newBuilder().setSharedUnit(0).setLength(length).build();
    }

    private static int windowBytes(WriteFrame frame, int payloadBytes) {
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[payloadBytes]);
        return new ArrivedFrame(frame, payload, null).windowBytes();
    }
}
