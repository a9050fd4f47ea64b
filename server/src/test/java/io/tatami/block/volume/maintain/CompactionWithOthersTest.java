package io.tatami.block.volume.maintain;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.ShortBlocks;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Blocks are read, written and deleted by others while they are moved. */
class CompactionWithOthersTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final int ROUNDS = 10;
    private static final int LENGTH_MAX = 40_000;

    private final Map<BlockId, byte[]> written = new ConcurrentHashMap<>();
    private final AtomicBoolean ended = new AtomicBoolean();

    @Test
    void readersNeverFailAndNeverSeeOtherBytesWhileBlocksMove() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (SimVolume sim = new SimVolume(4 << 20, SEED)) {
            Volume volume = sim.volume();
            List<Future<Long>> others = new ArrayList<>();
            others.add(threads.submit(() -> readAll(volume, SEED + 1)));
            others.add(threads.submit(() -> readAll(volume, SEED + 2)));
            others.add(threads.submit(untilEnded(() -> compact(volume))));

            churn(volume);

            ended.set(true);
            for (Future<Long> other : others) {
                assertTrue(other.get(60, TimeUnit.SECONDS) > 0, "one did nothing");
            }
            for (Map.Entry<BlockId, byte[]> entry : written.entrySet()) {
                assertArrayEquals(entry.getValue(), SimVolume.readAll(volume, entry.getKey()));
            }
            ShortBlocks.assertNoRoomIsLost(volume, "-Dtatami.test.seed=" + SEED);
            assertEquals(List.of(), sim.damages());
        } finally {
            ended.set(true);
            threads.shutdown();
        }
    }

    /** Until so much was moved that nobody can say it was luck. */
    private void churn(Volume volume) throws TatamiException {
        ShortBlocks blocks = new ShortBlocks(SEED);
        for (int round = 0; round < ROUNDS || volume.statistics().movedBytes() < (1 << 20); round++) {
            assertTrue(round < 100 * ROUNDS, "only " + volume.statistics() + ": the compactor does too little");
            blocks.writeAndThin(volume, 0.7, LENGTH_MAX, 0);
            for (BlockId block : blocks.blocks()) {
                written.put(block, blocks.ledger().entry(block).issued);
            }
            blocks.writeAndThin(volume, 0, LENGTH_MAX, 0.5);
            written.keySet().retainAll(blocks.blocks());
        }
    }

    private long readAll(Volume volume, long seed) throws TatamiException {
        Random random = new Random(seed);
        long reads = 0;
        while (!ended.get()) {
            List<BlockId> blocks = new ArrayList<>(written.keySet());
            if (blocks.isEmpty()) {
                Thread.onSpinWait();
                continue;
            }
            BlockId block = blocks.get(random.nextInt(blocks.size()));
            byte[] expected = written.get(block);
            try {
                byte[] found = SimVolume.readAll(volume, block);
                assertTrue(expected == null || Arrays.equals(expected, found), block + " has other bytes");
                reads++;
            } catch (TatamiException e) {
                assertEquals(ErrorCode.NO_SUCH_BLOCK, e.code(), e.toString());
            } catch (NoSuchElementException e) {
                assertTrue(volume.find(block).isEmpty(), block + " is there after all");
            }
        }
        return reads;
    }

    private Callable<Long> untilEnded(Callable<Long> step) {
        return () -> {
            long sum = 0;
            while (!ended.get()) {
                sum += step.call();
            }
            return sum;
        };
    }

    private static long compact(Volume volume) throws TatamiException {
        try (Compactor compactor = new Compactor(volume, Clock.SYSTEM, Long.MAX_VALUE, 128 << 10)) {
            return compactor.compact().movedBytes();
        }
    }
}
