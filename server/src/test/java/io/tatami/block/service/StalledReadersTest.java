package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.read.CopiedFrames;
import io.tatami.block.service.read.FrameDelivery;
import io.tatami.block.service.read.UnitDelivery;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.UnitCopies;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.rpc.ServerStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Receivers whose sockets take nothing: what was sent to them stays here. */
@Timeout(60)
final class StalledReadersTest {
    private static final int MIB = 1 << 20;
    private static final int UNIT_BYTES = 4 * MIB;
    private static final BlockId BLOCK = BlockRig.block(1);

    @TempDir
    Path directory;

    private final List<ByteBuf> stuck = new ArrayList<>();
    private final AtomicInteger wakes = new AtomicInteger();

    @AfterEach
    void release() {
        stuck.forEach(ByteBuf::release);
    }

    @Test
    void framesThatNobodyTakesNeverHoldAllBuffersOfAVolume() throws Exception {
        byte[] bytes = BlockRig.bytes(7, UNIT_BYTES);
        try (BlockRig rig = BlockRig.single(directory)) {
            Volume volume = rig.server(0).running().volume();
            BlockWriter writer = volume.create(BLOCK, Generation.FIRST, UNIT_BYTES, false);
            writer.append(ByteBuffer.wrap(bytes), null);
            writer.finish();
            CopiedFrames copied = new CopiedFrames(512L * MIB);

            for (int reader = 0; reader < 24; reader++) {
                int first = stuck.size();
                assertTrue(sendAll(volume, copied, "connection " + reader));
                assertArrayEquals(bytes, sentSince(first), "reader " + reader);
            }

            assertEquals(3, rig.server(0).running().resources().readBuffers().freeBuffers());
            assertArrayEquals(bytes, rig.read(0, BLOCK, 0, UNIT_BYTES));
            stuck.forEach(ByteBuf::release);
            stuck.clear();
            assertEquals(0, copied.taken());
        }
    }

    @Test
    void whereThereIsNoMemoryForCopiesNothingIsSentAndNothingHeld() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            Volume volume = rig.server(0).running().volume();
            BlockWriter writer = volume.create(BLOCK, Generation.FIRST, UNIT_BYTES, false);
            writer.append(ByteBuffer.wrap(BlockRig.bytes(7, UNIT_BYTES)), null);
            writer.finish();
            CopiedFrames none = new CopiedFrames(MIB - 1);

            int sending = 0;
            for (int reader = 0; reader < 24; reader++) {
                sending += sendAll(volume, none, "connection " + reader) ? 1 : 0;
            }

            assertEquals(9, sending);
            assertEquals(3, rig.server(0).running().resources().readBuffers().freeBuffers());
        }
    }

    @Test
    void oneConnectionHoldsHalfOfTheBuffersHoweverManyReadersItHasAndHoweverLittleEachIsSent() throws Exception {
        byte[] bytes = BlockRig.bytes(7, UNIT_BYTES);
        try (BlockRig rig = BlockRig.single(directory)) {
            Volume volume = rig.server(0).running().volume();
            BlockWriter writer = volume.create(BLOCK, Generation.FIRST, UNIT_BYTES, false);
            writer.append(ByteBuffer.wrap(bytes), null);
            writer.finish();
            CopiedFrames copied = new CopiedFrames(512L * MIB);

            for (int reader = 0; reader < 24; reader++) {
                assertEquals(reader < 6, sendFirst(volume, copied, "one"), "reader " + reader);
            }

            assertEquals(6, rig.server(0).running().resources().readBuffers().freeBuffers());
            assertEquals(0, wakes.get());
            for (int round = 0; round < 20; round++) {
                int first = stuck.size();
                assertTrue(sendAll(volume, copied, "another"));
                assertArrayEquals(bytes, sentSince(first));
                stuck.subList(first, stuck.size()).forEach(ByteBuf::release);
                stuck.subList(first, stuck.size()).clear();
            }
            stuck.remove(0).release();
            assertEquals(18, wakes.get());
            assertTrue(sendFirst(volume, copied, "one"));
            assertFalse(sendFirst(volume, copied, "one"));
        }
    }

    @Test
    void oneConnectionHasAQuarterOfTheCopiesAndTheLastQuarterIsForThoseWithNone() {
        CopiedFrames copied = new CopiedFrames(16L * MIB);
        for (int i = 0; i < 5; i++) {
            assertEquals(i < 4, copied.tryTake("first", MIB));
        }
        for (int i = 0; i < 8; i++) {
            assertTrue(copied.tryTake(i < 4 ? "second" : "third", MIB));
        }
        for (int i = 0; i < 4; i++) {
            assertTrue(copied.tryTake("other " + i, MIB));
            assertFalse(copied.tryTake("other " + i, MIB));
        }
        assertFalse(copied.tryTake("nobody yet", MIB));
        copied.giveBack("third", MIB);
        assertFalse(copied.tryTake("third", MIB));
        assertTrue(copied.tryTake("nobody yet", MIB));
    }

    /** Sends a chunk of a unit, if there is a buffer for it. */
    private boolean sendFirst(Volume volume, CopiedFrames copied, String connection) throws TatamiException {
        FrameDelivery delivery = new FrameDelivery(new Stalled(), UnitCopies.NONE, copied, connection);
        try (BlockReader reader =
                volume.read(BLOCK, Generation.FIRST, 0, UNIT_BYTES, UnitCopies.NONE, volume.readMemory(connection))) {
            if (!reader.hasBuffer(wakes::incrementAndGet)) {
                return false;
            }
            delivery.load(Objects.requireNonNull(reader.next()));
            UnitDelivery.Sent sent = delivery.send(1);
            assertEquals(64 << 10, sent.bytes());
            delivery.park();
            return true;
        }
    }

    private boolean sendAll(Volume volume, CopiedFrames copied, String connection) throws TatamiException {
        FrameDelivery delivery = new FrameDelivery(new Stalled(), UnitCopies.NONE, copied, connection);
        try (BlockReader reader =
                volume.read(BLOCK, Generation.FIRST, 0, UNIT_BYTES, UnitCopies.NONE, volume.readMemory(connection))) {
            ReadUnit unit = Objects.requireNonNull(reader.next());
            delivery.load(unit);
            while (delivery.hasMore()) {
                if (!delivery.canSend()) {
                    delivery.park();
                    return false;
                }
                UnitDelivery.Sent unused = delivery.send(UNIT_BYTES);
            }
            return true;
        }
    }

    private byte[] sentSince(int first) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (ByteBuf payload : stuck.subList(first, stuck.size())) {
            byte[] part = new byte[payload.readableBytes()];
            payload.getBytes(payload.readerIndex(), part);
            sent.writeBytes(part);
        }
        return sent.toByteArray();
    }

    /** Keeps what it is to send. */
    private final class Stalled implements ServerStream<ReadFrame, ReadBlockReply> {
        @Override
        public void sendAndRelease(ReadFrame message, ByteBuf payload) {
            stuck.add(payload);
        }

        @Override
        public void send(ReadFrame message) {
            sendAndRelease(message, Unpooled.EMPTY_BUFFER);
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void whenWritable(Runnable callback) {
            callback.run();
        }

        @Override
        public void awaitWritable(long timeoutMillis) {}

        @Override
        public void success(ReadBlockReply reply) {}

        @Override
        public void failure(TatamiException failure) {}
    }
}
