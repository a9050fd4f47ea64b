package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.block.volume.space.Reservation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One copy after another of a block, written, flushed, fenced, finalized, continued and deleted at random, with ends of
 * the process and of the host between and within the steps; each answer is compared with a small model of the copy. A
 * failure says its seed, at which {@code -Dtatami.test.seed} starts.
 */
class RandomFencesTest {
    private static final long DATA_BYTES = 8 << 20;
    private static final int ROOM_BYTES = 1 << 20;
    private static final int STEPS = 60;
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final BlockId BLOCK = new BlockId(1);

    @TempDir
    private Path directory;

    /** What was acknowledged of a copy, and what more may be there. */
    private static final class Copy {
        private final int number;
        private long generation;
        private long promised;
        private byte[] bytes = new byte[0];
        private int flushed;
        private int durable;
        private boolean finalized;

        /** Whether the index has it: else it is gone with the process. */
        private boolean recorded;

        private boolean mayLack;

        Copy(int number, long generation) {
            this.number = number;
            this.generation = generation;
            this.promised = generation;
        }

        void synced(int length) {
            bytes = Arrays.copyOf(bytes, length);
            durable = length;
            flushed = length;
            recorded = true;
        }

        void adopt(long adopted) {
            generation = adopted;
            promised = Math.max(promised, adopted);
        }
    }

    /** The block on one volume, and the model of it. */
    private static final class Life implements AutoCloseable {
        private final Random random;
        private final SimVolume sim;
        private final Map<String, Integer> counts;
        private @Nullable Copy copy;
        private @Nullable BlockWriter writer;
        private long newest = 1;
        private int newestNumber;
        private boolean isBooted;
        private boolean isHostSpared;
        private boolean isDeleting;

        Life(long seed, Path flushedEnds, Map<String, Integer> counts) throws TatamiException {
            this.random = new Random(seed);
            this.sim = new SimVolume(DATA_BYTES, seed).withFlushedEnds(flushedEnds);
            this.counts = counts;
        }

        @Override
        public void close() throws TatamiException {
            sim.close();
        }

        private void count(String step) {
            counts.merge(step, 1, Integer::sum);
        }

        void step() throws TatamiException {
            isDeleting = false;
            Copy here = copy;
            if (here == null) {
                create();
                return;
            }
            switch (random.nextInt(9)) {
                case 0 -> fence(here);
                case 1 -> finalizeAt(here);
                case 2 -> delete(here);
                case 3 -> reopen(here);
                case 4 -> endProcess(here);
                case 5 -> {
                    if (!isHostSpared) {
                        endHost(here);
                    }
                }
                default -> write(here);
            }
        }

        /** Granted, or pulled from another server: a number above those of before. */
        private void create() throws TatamiException {
            Copy begun = new Copy(random.nextBoolean() ? 0 : ++newestNumber, ++newest);
            Generation generation = Generation.of(begun.generation);
            writer = sim.volume().create(BLOCK, generation, new Reservation(ROOM_BYTES, 1, false), begun.number);
            copy = begun;
            count("create");
        }

        private void write(Copy here) throws TatamiException {
            BlockWriter writing = writer;
            if (writing == null) {
                return;
            }
            byte[] more = new byte[1 + random.nextInt(30_000)];
            random.nextBytes(more);
            int at = here.bytes.length;
            if (at + more.length > ROOM_BYTES) {
                return;
            }
            here.bytes = Arrays.copyOf(here.bytes, at + more.length);
            System.arraycopy(more, 0, here.bytes, at, more.length);
            writing.append(ByteBuffer.wrap(more), null);
            switch (random.nextInt(4)) {
                case 0 -> {
                    here.durable = (int) writing.flush();
                    here.flushed = here.bytes.length;
                    here.recorded = true;
                    count("flush");
                }
                case 1 -> {
                    here.synced((int) writing.sync());
                    count("sync");
                }
                case 2 -> {
                    here.synced((int) writing.finish());
                    here.finalized = true;
                    writer = null;
                    count("finish");
                }
                default -> count("append");
            }
        }

        private void fence(Copy here) throws TatamiException {
            long asked = Math.max(1, newest + random.nextInt(5) - 2);
            newest = Math.max(newest, asked);
            try {
                boolean raised = sim.volume().fence(BLOCK, Generation.of(asked));
                assertEquals(asked > here.promised, raised);
            } catch (TatamiException e) {
                requireRefusal(e);
                assertTrue(asked < here.promised, e::toString);
                count("fence refused");
                return;
            }
            assertTrue(asked >= here.promised, "a lower fence was taken");
            if (asked > here.promised) {
                here.promised = asked;
                here.recorded = true;
                requireFenced(here);
                count("fence");
            }
        }

        /** An error of the disk is no refusal. */
        private void requireRefusal(TatamiException e) throws TatamiException {
            if (sim.faults().hasStruck()) {
                throw e;
            }
            assertEquals(ErrorCode.FENCED, e.code(), e::toString);
        }

        private void requireFenced(Copy here) throws TatamiException {
            BlockWriter before = writer;
            writer = null;
            if (before == null) {
                return;
            }
            try {
                long unused = before.sync();
                fail("the writer of generation " + here.generation + " goes on");
            } catch (TatamiException e) {
                requireRefusal(e);
            }
        }

        private void finalizeAt(Copy here) throws TatamiException {
            long asked = Math.max(1, newest + random.nextInt(3) - 1);
            newest = Math.max(newest, asked);
            int length = random.nextInt(4) == 0 ? here.bytes.length + 1 : random.nextInt(here.bytes.length + 1);
            boolean isDone = here.finalized && asked == here.generation;
            boolean changed;
            try {
                changed = sim.volume().finalizeAt(BLOCK, Generation.of(asked), length);
            } catch (TatamiException e) {
                if (asked < here.promised) {
                    requireRefusal(e);
                } else if (e.code() == ErrorCode.INVALID_ARGUMENT) {
                    assertTrue(isDone || length > here.bytes.length, e::toString);
                } else {
                    throw e;
                }
                count("finalize refused");
                return;
            }
            assertTrue(asked >= here.promised, "finalized below the promise");
            assertEquals(!isDone, changed);
            assertFalse(isDone && length != here.bytes.length, "finalized at another length");
            writer = null;
            here.adopt(asked);
            here.synced(length);
            here.finalized = true;
            here.mayLack = false;
            count("finalize");
        }

        private void reopen(Copy here) throws TatamiException {
            long asked = Math.max(1, newest + random.nextInt(3) - 1);
            newest = Math.max(newest, asked);
            int length = here.bytes.length;
            try {
                writer = sim.volume().reopen(BLOCK, Generation.of(asked), length, ROOM_BYTES);
            } catch (TatamiException e) {
                requireRefusal(e);
                assertTrue(asked < here.promised, e::toString);
                count("reopen refused");
                return;
            }
            assertTrue(asked >= here.promised, "reopened below the promise");
            here.adopt(asked);
            here.synced(length);
            here.finalized = false;
            here.mayLack = false;
            count("reopen");
        }

        private void delete(Copy here) throws TatamiException {
            int number = random.nextInt(3) == 0 ? random.nextInt(newestNumber + 1) : here.number;
            long generation = random.nextInt(3) == 0 ? here.generation - 1 : here.generation;
            isDeleting = number == here.number;
            boolean isFenced = number == 0 && here.number == 0 && generation < here.generation;
            try {
                assertEquals(
                        number == here.number,
                        sim.volume().delete(BLOCK, number, Generation.of(generation)),
                        "deletion of copy " + number);
                assertFalse(isFenced, "a newer copy was deleted");
            } catch (TatamiException e) {
                requireRefusal(e);
                assertTrue(isFenced, e::toString);
                return;
            }
            if (number == here.number) {
                copy = null;
                writer = null;
                count("delete");
            } else {
                count("delete of another");
            }
        }

        private void endProcess(Copy here) throws TatamiException {
            Volume unused = sim.endProcess();
            writer = null;
            if (!here.recorded) {
                copy = null;
            } else {
                // What was flushed is taken over.
                here.synced(here.flushed);
            }
            count("end of process");
        }

        private void endHost(Copy here) throws TatamiException {
            Volume unused = sim.crash();
            writer = null;
            if (!here.recorded) {
                copy = null;
            } else {
                here.synced(here.durable);
                here.mayLack = !here.finalized;
            }
            isBooted = true;
            count("end of host");
        }

        void compare() throws TatamiException {
            Copy here = copy;
            StoredBlock stored = sim.volume().find(BLOCK).orElse(null);
            if (here == null) {
                assertNull(stored);
                return;
            }
            assertNotNull(stored);
            assertEquals(here.number, stored.copyNumber(), "number");
            assertEquals(Generation.of(here.generation), stored.generation(), "generation");
            assertEquals(Generation.of(here.promised), stored.promised(), "promised");
            assertEquals(here.bytes.length, stored.heldBytes(), "held");
            assertTrue(stored.durableBytes() >= here.durable, "durable");
            assertEquals(here.finalized, stored.finalized(), "finalized");
            assertTrue(!here.mayLack || stored.mayLackFlushed(), "it may lack bytes, and counts as assured");
            // After a boot, in doubt, a process that follows on another may not know that somebody has gone on since.
            assertTrue(isBooted || !stored.mayLackFlushed(), "it has all bytes, and counts as one that may lack some");
            here.mayLack = stored.mayLackFlushed();
            byte[] visible = SimVolume.readAll(sim.volume(), BLOCK);
            assertArrayEquals(Arrays.copyOf(here.bytes, visible.length), visible);
            here.durable = (int) stored.durableBytes();
        }

        /** After a power cut within a step that raises what {@code before} had. */
        void compareAfterCut(long generation, long promised, int number) throws TatamiException {
            StoredBlock stored = sim.crash().find(BLOCK).orElse(null);
            assertTrue(stored != null || isDeleting, "it is lost");
            if (stored != null) {
                assertEquals(number, stored.copyNumber());
                assertFalse(stored.generation().isBelow(Generation.of(generation)), "an older generation");
                assertFalse(stored.promised().isBelow(Generation.of(promised)), "a promise is lost");
                byte[] bytes = SimVolume.readAll(sim.volume(), BLOCK);
                assertEquals(stored.durableBytes(), bytes.length);
            }
        }
    }

    @Test
    void eachAnswerIsThatOfTheModelThroughEndsOfProcessAndHost() throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = SEED; seed < SEED + 150; seed++) {
            try (Life life = new Life(seed, directory.resolve("flushed-" + seed), counts)) {
                for (int step = 0; step < STEPS; step++) {
                    life.step();
                    life.compare();
                }
            } catch (AssertionError | TatamiException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        for (String step : new String[] {
            "create",
            "flush",
            "sync",
            "finish",
            "fence",
            "fence refused",
            "finalize",
            "finalize refused",
            "reopen",
            "reopen refused",
            "delete",
            "delete of another",
            "end of process",
            "end of host"
        }) {
            assertTrue(counts.getOrDefault(step, 0) > 20, () -> step + " of " + counts);
        }
    }

    @Test
    void aPowerCutAtAnyAccessLeavesNoPromiseAndNoGenerationLowerThanAcknowledged() throws Exception {
        long cuts = FaultSweep.atEveryAccess(SEED, SEED + 8, (seed, access) -> {
            Path flushedEnds = directory.resolve("cut-" + seed + "-" + access);
            try (Life life = new Life(seed, flushedEnds, new TreeMap<>())) {
                life.isHostSpared = true;
                life.sim.faults().arm(access, Fault.POWER_CUT);
                return cutLife(life);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ", access " + access, e);
            }
        });
        assertTrue(cuts > 200, () -> cuts + " cuts only");
    }

    /** Whether the power was cut before the steps were done. */
    private static boolean cutLife(Life life) throws TatamiException {
        for (int step = 0; step < STEPS; step++) {
            Copy before = life.copy;
            boolean wasRecorded = before != null && before.recorded;
            long generation = before == null ? 0 : before.generation;
            long promised = before == null ? 0 : before.promised;
            try {
                life.step();
            } catch (TatamiException e) {
                if (!life.sim.faults().hasStruck()) {
                    throw e;
                }
                if (wasRecorded && before != null) {
                    life.compareAfterCut(generation, promised, before.number);
                }
                return true;
            }
        }
        return false;
    }
}
