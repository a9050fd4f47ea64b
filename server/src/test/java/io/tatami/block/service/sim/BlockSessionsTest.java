package io.tatami.block.service.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.service.read.ReadStreams;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.protocol.wire.WriteAck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write session and a read session, step by step: threads, time and the server behind are the test's. */
final class BlockSessionsTest {
    private static final int FRAME = 100_000;

    private SessionWorld world;
    private SessionWorld.Writer writer;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        world = new SessionWorld(directory, 1);
        writer = world.begin(1);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
        assertEquals(0, world.metrics.writeStreams());
        assertEquals(0, world.metrics.readStreams());
    }

    @Test
    void nothingIsAcknowledgedBeforeTheChainIsOpen() {
        writer.send(FRAME);
        world.executor.runAll();

        assertTrue(writer.lastAck().getOpening());
        assertEquals(FRAME, world.chain.last().endOffset());
        world.chain.last().isOpening();
        world.executor.runAll();
        assertTrue(writer.lastAck().getOpening());

        acknowledge(0, 0);
        assertFalse(writer.lastAck().getOpening());
        assertEquals(0, writer.lastAck().getVisibleLength());
    }

    @Test
    void aReaderSeesWhatTheWholeChainHasAndNoMore() throws Exception {
        writer.send(FRAME);
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);

        assertAcknowledged(FRAME, 0);
        SessionWorld.Reader reader = world.read(0, 10 * FRAME, 10 * FRAME);
        world.executor.runAll();
        assertArrayEquals(world.prefix(FRAME), reader.stream.payload.toByteArray());
        assertEquals(FRAME, assertNotNullValue(reader.stream.reply).getLength());
    }

    @Test
    void framesBehindOneThatIsFlushedWaitUntilTheChainHasIt() throws Exception {
        writer.send(FRAME);
        writer.sync(FRAME);
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(0, 0);
        assertEquals(2 * FRAME, world.chain.last().endOffset());

        acknowledge(2 * FRAME, 0);
        assertAcknowledged(2 * FRAME, 0);
        assertEquals(2 * FRAME, stored().durableBytes());
        assertEquals(3 * FRAME, world.chain.last().endOffset());

        acknowledge(2 * FRAME, 2 * FRAME);
        assertAcknowledged(2 * FRAME, 2 * FRAME);
    }

    @Test
    void aFlushIsAcknowledgedOnceTheWholeChainHasFlushed() throws Exception {
        writer.flush(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        assertAcknowledged(FRAME, 0);
        assertEquals(0, writer.lastAck().getFlushedLength());

        acknowledge(FRAME, FRAME);
        assertEquals(FRAME, writer.lastAck().getFlushedLength());
    }

    @Test
    void theStreamEndsWhenTheBlockIsFinalHereAndBehind() throws Exception {
        writer.send(FRAME);
        writer.last(FRAME);
        world.executor.runAll();
        acknowledge(2 * FRAME, 0);
        assertTrue(stored().finalized());
        assertFalse(writer.stream.isAnswered());

        world.chain.last().finish();
        world.executor.runAll();
        assertEquals(2 * FRAME, assertNotNullValue(writer.stream.reply).getLength());
    }

    @Test
    void aFrameBehindTheLastIsRefusedWhileTheChainHasNotEnded() {
        writer.last(FRAME);
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);

        assertFailed(ErrorCode.MALFORMED);
    }

    @Test
    void aFencedWriterKeepsWhatWasAcknowledgedAndAcknowledgesNothingMore() throws Exception {
        writer.send(FRAME);
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        ScriptedChain.Link<?, ?, ?> first = world.chain.last();
        int acknowledgements = writer.stream.messages.size();

        SessionWorld.Writer next = world.goOn(2, 1, FRAME);
        writer.send(FRAME);
        world.executor.runAll();

        assertFailed(ErrorCode.FENCED);
        assertNotNull(first.cancelled);
        assertEquals(acknowledgements, writer.stream.messages.size());
        assertEquals(FRAME, stored().heldBytes());
        first.acknowledge(2 * FRAME, 0);
        world.executor.runAll();
        assertEquals(acknowledgements, writer.stream.messages.size());

        next.last(FRAME);
        world.executor.runAll();
        acknowledge(2 * FRAME, 0);
        world.chain.last().finish();
        world.executor.runAll();
        assertEquals(2 * FRAME, assertNotNullValue(next.stream.reply).getLength());
        assertArrayEquals(world.prefix(2 * FRAME), SimVolume.readAll(world.disk.volume(), SessionWorld.BLOCK));
    }

    @Test
    void aStopInTheMidstOfAFlushEndsBothStreamsAndKeepsTheBytes() throws Exception {
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        writer.sync(FRAME);
        writer.send(FRAME);
        world.executor.runAll();
        SessionWorld.Reader reader = world.read(0, FRAME, 1);
        world.executor.runAll();

        world.writes.close();
        world.reads.close();
        world.executor.runAll();

        assertFailed(ErrorCode.UNAVAILABLE);
        assertEquals(
                ErrorCode.UNAVAILABLE, assertNotNullValue(reader.stream.failure).code());
        assertNotNull(world.chain.last().cancelled);
        assertEquals(2 * FRAME, stored().durableBytes());
        assertEquals(FRAME, stored().visibleBytes());
        assertEquals(
                ErrorCode.UNAVAILABLE,
                assertNotNullValue(world.begin(2).stream.failure).code());
    }

    @Test
    void aFailureBehindIsPassedOnAsThatServersFailure() {
        writer.send(FRAME);
        world.executor.runAll();
        world.chain.last().fail(new TatamiException(ErrorCode.NO_SPACE, "it is full", new Detail.RoomLeft(1)));
        world.executor.runAll();

        assertFailed(ErrorCode.NO_SPACE);
        assertFailureOf(SessionWorld.NEXT.server(), writer);
        assertEquals(
                new Detail.RoomLeft(1),
                assertNotNullValue(writer.stream.failure).detail());
    }

    @Test
    void aServerBehindThatCannotBeReachedFailsTheStreamAndLeavesNoBlock() {
        world.executor.runAll();
        writer.cancel();
        world.executor.runAll();
        world.chain.isReachable = false;

        SessionWorld.Writer alone = world.begin(2);
        world.executor.runAll();

        assertFailureOf(SessionWorld.NEXT.server(), alone);
        assertTrue(world.disk.volume().find(SessionWorld.BLOCK).isEmpty());
    }

    @Test
    void aServerBehindThatOwesNothingMayBeSilentAndOneThatOwesMayNot() {
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        Duration silence = Duration.ofMillis(world.settings.chainSilenceMillis() + 1);
        world.clock.advance(silence);
        world.checkStandstill();
        assertFalse(writer.stream.isAnswered());

        writer.send(FRAME);
        world.checkStandstill();
        assertFalse(writer.stream.isAnswered());
        world.clock.advance(silence);
        world.checkStandstill();
        assertFailed(ErrorCode.DEADLINE_EXCEEDED);
        assertFailureOf(SessionWorld.NEXT.server(), writer);
    }

    @Test
    void anEmptyFrameGoesThroughTheChainAndIsAnsweredByEachServer() {
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        Duration silence = Duration.ofMillis(world.settings.chainSilenceMillis() + 1);
        world.clock.advance(silence);
        int answers = writer.stream.messages.size();
        writer.send(0);
        world.checkStandstill();
        assertTrue(writer.stream.messages.size() > answers, "the writer hears nothing");
        world.clock.advance(silence.dividedBy(2));
        world.checkStandstill();
        acknowledge(FRAME, 0);
        world.clock.advance(silence);
        world.checkStandstill();
        assertFalse(writer.stream.isAnswered(), "a server that answered is waited for");

        writer.send(0);
        world.checkStandstill();
        world.clock.advance(silence);
        world.checkStandstill();
        assertFailed(ErrorCode.DEADLINE_EXCEEDED);
        assertFailureOf(SessionWorld.NEXT.server(), writer);
    }

    @Test
    void emptyFramesKeepTheStreamButNeitherBuffersNorBytesInMemory() throws Exception {
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        Duration often = Duration.ofMillis(world.settings.parkMillis() / 2);
        for (int i = 0; i < 3; i++) {
            world.clock.advance(often);
            writer.send(0);
            world.checkStandstill();
            acknowledge(FRAME, 0);
        }
        assertEquals(FRAME, stored().durableBytes());

        long idle = world.settings.writerIdleMillis();
        for (long waited = 0; waited <= idle; waited += idle / 2) {
            world.clock.advance(Duration.ofMillis(idle / 2));
            writer.send(0);
            world.executor.runAll();
            acknowledge(FRAME, FRAME);
            world.checkStandstill();
        }
        assertFalse(writer.stream.isAnswered());
    }

    /** A server has thousands of them, and looks at all of them every few moments. */
    @Test
    void aWriterThatRestsTakesNoThreadUntilItSendsOrHasBeenIdleForTooLong() {
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        Duration parked = Duration.ofMillis(world.settings.parkMillis() + 1);
        world.clock.advance(parked);
        world.checkStandstill();
        acknowledge(FRAME, FRAME);
        world.checkStandstill();

        world.writes.checkStandstill();
        assertFalse(world.executor.runNext(), "a writer that rests is looked at by a thread of its own");

        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(2 * FRAME, FRAME);
        world.writes.checkStandstill();
        assertTrue(world.executor.runNext(), "nobody looks whether the writer goes on");
        world.clock.advance(parked);
        world.checkStandstill();
        acknowledge(2 * FRAME, 2 * FRAME);
        world.checkStandstill();

        world.clock.advance(Duration.ofMillis(world.settings.writerIdleMillis() + 1));
        world.checkStandstill();
        assertFailed(ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void streamsThatStandStillAreFlushedAndParkedAndGoOn() throws Exception {
        writer.send(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, 0);
        SessionWorld.Reader reader = world.read(0, FRAME, 1);
        world.executor.runAll();
        int seen = reader.stream.payload.size();
        assertTrue(seen > 0 && seen < FRAME, seen + " bytes");
        assertEquals(0, stored().durableBytes());

        world.clock.advance(Duration.ofMillis(world.settings.parkMillis() + 1));
        world.checkStandstill();
        assertEquals(FRAME, stored().durableBytes());
        reader.credit(FRAME);
        writer.send(FRAME);
        world.executor.runAll();
        assertArrayEquals(world.prefix(FRAME), reader.stream.payload.toByteArray());
        acknowledge(2 * FRAME, 0);
        assertAcknowledged(2 * FRAME, 0);
    }

    @Test
    void aReaderIsToldThatItIsQueuedWhileTheVolumeWorksAndNothingElseHoldsItUp() throws Exception {
        writer.sync(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, FRAME);
        Duration silence = Duration.ofMillis(ReadStreams.TELL_QUEUED_MILLIS);
        SessionWorld.Reader reader = world.read(0, FRAME, 1);

        world.reads.tellQueued();
        assertEquals(0, reader.queuedSigns());
        world.clock.advance(silence);
        world.reads.tellQueued();
        assertEquals(1, reader.queuedSigns());

        // Its turn comes, and then its window is closed.
        world.executor.runAll();
        int seen = reader.stream.payload.size();
        assertTrue(seen > 0 && seen < FRAME, seen + " bytes");
        world.clock.advance(silence);
        world.reads.tellQueued();
        assertEquals(1, reader.queuedSigns());

        reader.credit(FRAME);
        world.reads.tellQueued();
        assertEquals(2, reader.queuedSigns());
        // No access of the volume ends any more.
        world.clock.advance(Duration.ofSeconds(1));
        world.reads.tellQueued();
        assertEquals(2, reader.queuedSigns());

        world.executor.runAll();
        assertArrayEquals(world.prefix(FRAME), reader.stream.payload.toByteArray());
        world.reads.tellQueued();
        assertEquals(2, reader.queuedSigns());
    }

    @Test
    void aReaderThatWaitsForMemoryOrForTheTierIsNotToldThatItIsQueued() throws Exception {
        writer.sync(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, FRAME);
        SessionWorld.Reader reader = world.read(0, FRAME, FRAME);
        world.clock.advance(Duration.ofMillis(ReadStreams.TELL_QUEUED_MILLIS));
        world.isTierHanging = true;
        world.reads.tellQueued();
        assertEquals(0, reader.queuedSigns());
        world.isTierHanging = false;

        AlignedBufferPool buffers = world.disk.volume().readMemory(null).buffers();
        List<AlignedBuffer> taken = new ArrayList<>();
        for (AlignedBuffer next = buffers.tryAcquire(); next != null; next = buffers.tryAcquire()) {
            taken.add(next);
        }
        world.executor.runAll();
        world.reads.tellQueued();
        assertEquals(0, reader.queuedSigns());

        taken.forEach(AlignedBuffer::release);
        world.executor.runAll();
        assertArrayEquals(world.prefix(FRAME), reader.stream.payload.toByteArray());
    }

    @Test
    void aReaderWhoseTurnComesLateGoesOnWithWhatWasReadAhead() throws Exception {
        writer.sync(FRAME);
        world.executor.runAll();
        acknowledge(FRAME, FRAME);
        SessionWorld.Reader reader = world.read(0, FRAME, 1);
        world.executor.runAll();
        long before = world.disk.volume().statistics().readBytes();

        world.clock.advance(Duration.ofMillis(world.settings.parkMillis() + 1));
        world.reads.checkStandstill();
        reader.credit(FRAME);
        world.executor.runAll();

        assertEquals(before, world.disk.volume().statistics().readBytes());
        assertArrayEquals(world.prefix(FRAME), reader.stream.payload.toByteArray());
    }

    @Test
    void aWriterThatIsSilentTooLongLosesItsStream() {
        world.executor.runAll();
        acknowledge(0, 0);
        world.clock.advance(Duration.ofMillis(world.settings.writerIdleMillis() + 1));
        world.checkStandstill();

        assertFailed(ErrorCode.DEADLINE_EXCEEDED);
        assertFailureOf(SessionWorld.SERVER, writer);
    }

    private void acknowledge(long visible, long durable) {
        world.chain.last().acknowledge(visible, durable);
        world.executor.runAll();
    }

    private void assertAcknowledged(long visible, long durable) {
        WriteAck ack = writer.lastAck();
        assertEquals(visible, ack.getVisibleLength());
        assertEquals(durable, ack.getDurableLength());
    }

    private static void assertFailureOf(ServerId server, SessionWorld.Writer writer) {
        assertEquals(
                new RefusalSubject.ServerSubject(server),
                assertNotNullValue(writer.stream.failure).subject());
    }

    private void assertFailed(ErrorCode code) {
        assertNull(writer.stream.reply);
        assertEquals(code, assertNotNullValue(writer.stream.failure).code());
    }

    private StoredBlock stored() {
        return world.disk.volume().find(SessionWorld.BLOCK).orElseThrow();
    }

    private static <T> T assertNotNullValue(@Nullable T value) {
        if (value == null) {
            throw new AssertionError("there is none");
        }
        return value;
    }
}
