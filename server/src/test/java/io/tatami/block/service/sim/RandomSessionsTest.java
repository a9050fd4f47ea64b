package io.tatami.block.service.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.wire.WriteAck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers and readers of one block in any order of events, by a seed: frames, flushes, acknowledgements, fences, stops,
 * failures behind, standstills. Readers see right bytes only, nothing acknowledged is lost, every stream is answered
 * once and gives back what it has, and a seed repeats its course.
 */
final class RandomSessionsTest {
    private static final int SEEDS = Integer.getInteger("tatami.test.seeds", 40);
    private static final int EVENTS = 400;
    private static final int FRAME_MAX = 150_000;

    /** What ends a stream in these courses, beside the end of the block. */
    private static final Set<ErrorCode> EXPECTED = EnumSet.of(
            ErrorCode.FENCED,
            ErrorCode.CANCELLED,
            ErrorCode.UNAVAILABLE,
            ErrorCode.DEADLINE_EXCEEDED,
            ErrorCode.NO_SUCH_BLOCK,
            ErrorCode.BUSY);

    @Test
    void whateverHappensInWhateverOrderNothingAcknowledgedIsLost(@TempDir Path directory) throws Exception {
        long flushed = 0;
        int writers = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Course course = new Course(directory, seed);
            course.run();
            flushed += course.durable;
            writers += course.writers.size();
        }
        // The courses are none of one event alone.
        assertTrue(flushed > 0 && writers > 2 * SEEDS, flushed + " bytes flushed by " + writers + " writers");
    }

    @Test
    void aSeedRepeatsItsCourse(@TempDir Path directory) throws Exception {
        Course first = new Course(directory, 5);
        first.run();
        Course second = new Course(directory, 5);
        second.run();

        assertEquals(first.told, second.told);
    }

    private static final class Course {
        private final SessionWorld world;
        private final Random random;
        private final long seed;
        private final List<String> told = new ArrayList<>();
        private final List<SessionWorld.Writer> writers = new ArrayList<>();
        private final List<SessionWorld.Reader> readers = new ArrayList<>();
        private long visible;
        private long durable;
        private int seenWriter;
        private int seenAck;

        Course(Path directory, long seed) throws TatamiException {
            this.seed = seed;
            this.random = new Random(seed);
            this.world = new SessionWorld(directory, seed);
        }

        void run() throws Exception {
            writers.add(world.begin(1));
            for (int event = 0; event < EVENTS; event++) {
                happen(random.nextInt(100));
                listen();
            }
            world.writes.close();
            world.reads.close();
            world.executor.runAll();
            listen();
            requireAllIsOver();
            requireNothingIsLost();
            world.close();
        }

        private SessionWorld.Writer writer() {
            return writers.get(writers.size() - 1);
        }

        private void happen(int event) {
            if (event < 40) {
                world.executor.runNext();
            } else if (event < 62) {
                sendFrame();
            } else if (event < 82) {
                fromBehind();
            } else if (event < 86) {
                readers.add(world.read(random.nextInt((int) visible + 1), FRAME_MAX, 1 + random.nextInt(FRAME_MAX)));
            } else if (event < 90) {
                moveReader();
            } else if (event < 92) {
                boolean writable = random.nextBoolean();
                world.chain.links.forEach(link -> link.setWritable(writable));
            } else if (event < 95) {
                world.clock.advance(Duration.ofMillis(random.nextInt(8_000)));
                world.checkStandstill();
            } else if (event < 98 || writer().stream.isAnswered()) {
                takeOver();
            } else if (event < 99) {
                writer().cancel();
            } else if (!world.chain.links.isEmpty() && !world.chain.last().isOver()) {
                world.chain.last().fail(new TatamiException(ErrorCode.UNAVAILABLE, "it has gone"));
            }
        }

        private void sendFrame() {
            int room = writer().room();
            if (writer().stream.isAnswered() || room == 0) {
                return;
            }
            int length = 1 + random.nextInt(Math.min(room, FRAME_MAX));
            switch (random.nextInt(30)) {
                case 0 -> writer().last(length);
                case 1, 2, 3 -> writer().sync(length);
                case 4, 5, 6 -> writer().flush(length);
                default -> writer().send(length);
            }
        }

        private void fromBehind() {
            if (world.chain.links.isEmpty() || world.chain.last().isOver()) {
                return;
            }
            ScriptedChain.Link<?, ?, ?> link = world.chain.last();
            long start = link.request.getStartOffset();
            if (link.hasLast && random.nextBoolean()) {
                link.finish();
            } else {
                long seen = start + random.nextInt((int) (link.endOffset() - start) + 1);
                long flushed = start + random.nextInt((int) (seen - start) + 1);
                link.acknowledge(seen, flushed, seen + (128 << 10) + random.nextInt(FRAME_MAX));
            }
        }

        private void moveReader() {
            if (readers.isEmpty()) {
                return;
            }
            SessionWorld.Reader reader = readers.get(random.nextInt(readers.size()));
            switch (random.nextInt(6)) {
                case 0 -> {
                    if (!reader.stream.isAnswered()) {
                        reader.cancel();
                    }
                }
                case 1 -> reader.stream.setWritable(false);
                case 2 -> reader.stream.setWritable(true);
                default -> {
                    if (!reader.stream.isAnswered()) {
                        reader.credit(1 + random.nextInt(FRAME_MAX));
                    }
                }
            }
        }

        /** Another writer goes on where the last one was acknowledged, as a recovery has it. */
        private void takeOver() {
            world.executor.runAll();
            listen();
            Optional<StoredBlock> stored = world.disk.volume().find(SessionWorld.BLOCK);
            long generation = writer().generation + 1;
            writers.add(
                    stored.isEmpty()
                            ? world.begin(generation)
                            : world.goOn(generation, stored.get().generation().value(), visible));
        }

        /** Hears what was acknowledged since, and checks that it makes sense. */
        private void listen() {
            for (; seenWriter < writers.size(); seenWriter++, seenAck = 0) {
                List<WriteAck> acks = writers.get(seenWriter).stream.messages;
                for (; seenAck < acks.size(); seenAck++) {
                    hear(acks.get(seenAck), writers.get(seenWriter).generation);
                }
                if (seenWriter == writers.size() - 1) {
                    break;
                }
            }
            for (SessionWorld.Reader reader : readers) {
                assertTrue(reader.isRight(), () -> "seed " + seed + ": wrong bytes from " + reader.offset);
            }
            told.add(visible + " " + durable + " "
                    + readers.stream()
                            .mapToInt(reader -> reader.stream.payload.size())
                            .sum());
        }

        private void hear(WriteAck ack, long generation) {
            if (!ack.getOpening()) {
                String what = "seed " + seed + ": " + ack;
                ScriptedChain.Link<?, ?, ?> link = world.chain.ofGeneration(generation);
                assertTrue(ack.getVisibleLength() <= link.visible && ack.getDurableLength() <= link.durable, what);
                assertTrue(ack.getDurableLength() <= ack.getFlushedLength(), what);
                assertTrue(ack.getFlushedLength() <= ack.getVisibleLength(), what);
                visible = Math.max(visible, ack.getVisibleLength());
                durable = Math.max(durable, ack.getDurableLength());
            }
        }

        private void requireAllIsOver() throws Exception {
            for (SessionWorld.Writer writer : writers) {
                requireAnswered(writer.stream);
                assertTrue(writer.payloads.stream().allMatch(bytes -> bytes.refCnt() == 0), "seed " + seed);
            }
            for (SessionWorld.Reader reader : readers) {
                requireAnswered(reader.stream);
            }
            Volume volume = world.disk.volume();
            assertEquals(0, world.metrics.writeStreams(), "seed " + seed);
            assertEquals(0, world.metrics.readStreams(), "seed " + seed);
            assertTrue(world.writes.awaitEnd(volume, 0) && world.reads.awaitEnd(volume, 0), "seed " + seed);
            for (ScriptedChain.Link<?, ?, ?> link : world.chain.links) {
                assertTrue(link.isOver(), "seed " + seed);
            }
        }

        private void requireAnswered(RecordedStream<?, ?> stream) {
            assertTrue(stream.isAnswered(), "seed " + seed);
            TatamiException failure = stream.failure;
            if (failure != null) {
                assertTrue(EXPECTED.contains(failure.code()), () -> "seed " + seed + ": " + failure);
            }
        }

        private void requireNothingIsLost() throws TatamiException {
            requireHeld(visible);
            Volume opened = world.disk.crash();
            if (visible > 0) {
                // All sessions have ended in order, and none leaves bytes that readers saw to a power cut.
                StoredBlock stored = opened.find(SessionWorld.BLOCK).orElseThrow();
                assertTrue(stored.durableBytes() >= visible, () -> "seed " + seed + ": " + stored);
                byte[] bytes = SimVolume.readAll(opened, SessionWorld.BLOCK);
                assertArrayEquals(world.prefix(bytes.length), bytes);
            }
        }

        private void requireHeld(long lengthBytes) throws TatamiException {
            Optional<StoredBlock> stored = world.disk.volume().find(SessionWorld.BLOCK);
            long held = stored.map(StoredBlock::heldBytes).orElse(0L);
            assertTrue(held >= lengthBytes, () -> "seed " + seed + ": " + stored);
            if (stored.isPresent()) {
                byte[] bytes = SimVolume.readAll(world.disk.volume(), SessionWorld.BLOCK);
                assertArrayEquals(world.prefix(bytes.length), bytes);
            }
        }
    }
}
