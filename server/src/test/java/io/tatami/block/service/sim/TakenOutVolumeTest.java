package io.tatami.block.service.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that are being opened on a volume while it is taken out of the server. */
final class TakenOutVolumeTest {
    private static final int FRAME = 100_000;

    private SessionWorld world;
    private Volume volume;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        world = new SessionWorld(directory, 1);
        volume = world.disk.volume();
    }

    @AfterEach
    void close() throws Exception {
        CrashPoint.listen(null);
        world.close();
    }

    /** When the opening of a stream gets to a point. */
    private void takeOutAt(String point) {
        CrashPoint.listen(name -> {
            if (name.equals(point)) {
                CrashPoint.listen(null);
                world.takeOut();
            }
        });
    }

    private void assertNoStreamIsOpen() throws Exception {
        assertEquals(0, world.metrics.writeStreams());
        assertEquals(0, world.metrics.readStreams());
        assertTrue(world.writes.awaitEnd(volume, 0), "a write stream counts that has failed");
        assertTrue(world.reads.awaitEnd(volume, 0), "a read stream counts that has failed");
    }

    private static void assertFailed(ErrorCode code, RecordedStream<?, ?> stream) {
        @Nullable TatamiException failure = stream.failure;
        assertNull(stream.reply);
        assertEquals(code, failure == null ? null : failure.code());
    }

    @Test
    void aWriterThatGoesOnMeanwhileAcknowledgesNothingAndTheBlockStaysAsItIs() throws Exception {
        SessionWorld.Writer before = world.begin(1);
        before.send(FRAME);
        world.executor.runAll();
        world.chain.last().acknowledge(FRAME, 0);
        world.executor.runAll();
        before.cancel();
        world.executor.runAll();

        SessionWorld.Writer writer = world.goOn(2, 1, FRAME);
        writer.send(FRAME);
        takeOutAt("volume.reopen.after-commit");
        world.executor.runAll();

        assertFailed(ErrorCode.IO_ERROR, writer.stream);
        assertEquals(0, writer.stream.messages.size());
        assertNoStreamIsOpen();
        assertArrayEquals(world.prefix(FRAME), SimVolume.readAll(volume, SessionWorld.BLOCK));
    }

    @Test
    void aWriterThatBeginsABlockMeanwhileAcknowledgesNothingAndLeavesNoBlock() throws Exception {
        SessionWorld.Writer writer = world.begin(1);
        writer.send(FRAME);
        takeOutAt("service.write.after-create");
        world.executor.runAll();

        assertFailed(ErrorCode.IO_ERROR, writer.stream);
        assertEquals(0, writer.stream.messages.size());
        assertNoStreamIsOpen();
        assertTrue(volume.find(SessionWorld.BLOCK).isEmpty());
    }

    @Test
    void aReaderThatBeginsMeanwhileIsSentElsewhere() throws Exception {
        SessionWorld.Writer writer = world.begin(1);
        writer.last(FRAME);
        world.executor.runAll();
        world.chain.last().acknowledge(FRAME, 0);
        world.chain.last().finish();
        world.executor.runAll();

        world.whenReadersAreLookedUp = world::takeOut;
        SessionWorld.Reader reader = world.read(0, FRAME, FRAME);
        world.executor.runAll();

        assertFailed(ErrorCode.UNAVAILABLE, reader.stream);
        assertEquals(0, reader.stream.payload.size());
        assertNoStreamIsOpen();
    }
}
