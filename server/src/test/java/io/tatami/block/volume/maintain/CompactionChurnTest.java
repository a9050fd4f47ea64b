package io.tatami.block.volume.maintain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.CompactionPlanner;
import io.tatami.block.volume.space.CompactionPlanner.Move;
import io.tatami.block.volume.space.CompactionPlanner.Plan;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.ExtentAllocator;
import io.tatami.block.volume.space.PackedRegions;
import io.tatami.block.volume.space.PlacedBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Crowds of small files come and go on a volume of 16 GiB whose low half is streamed to; each day more go than come.
 * One volume is compacted at the end of each day, its twin never is. {@code -Dtatami.test.seed} replays.
 */
class CompactionChurnTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final long REGION = Compactor.REGION_BYTES;
    private static final Extent AREA = new Extent(4L << 20, 16L << 30);
    private static final int DAYS = 12;

    /** A volume in which nothing is but where blocks are. */
    private static final class Shape {
        private final ExtentAllocator allocator = new ExtentAllocator(AREA, 0);
        private final Map<BlockId, Extent> blocks = new HashMap<>();

        Iterable<PlacedBlock> placed() {
            return () -> blocks.entrySet().stream()
                    .map(entry -> new PlacedBlock(entry.getKey(), entry.getValue(), true))
                    .iterator();
        }

        void write(BlockId block, long length, ExtentAllocator.End end) throws TatamiException {
            blocks.put(block, allocator.allocate(length, length, end));
        }

        void delete(BlockId block) {
            allocator.release(Objects.requireNonNull(blocks.remove(block)));
        }

        void move(Move move) {
            assertEquals(move.from(), blocks.get(move.block()));
            assertTrue(allocator.claim(move.to()), move + " goes where another block is");
            blocks.put(move.block(), move.to());
            allocator.release(move.from());
        }

        long deadBytes() {
            return new CompactionPlanner(AREA, REGION).deadBytes(allocator.freeRuns());
        }

        /** How many writers could be given a whole reservation now. */
        long wholeRuns() {
            return allocator.freeRuns().stream()
                    .mapToLong(run -> run.lengthBytes() / REGION)
                    .sum();
        }

        List<Integer> worthEmptying() {
            PackedRegions regions = new PackedRegions(AREA, REGION);
            placed().forEach(regions::add);
            allocator.freeRuns().forEach(regions::addFree);
            return regions.worthEmptying().boxed().toList();
        }
    }

    private final Shape compacted = new Shape();
    private final Shape left = new Shape();
    private final List<BlockId> small = new ArrayList<>();
    private final Random random = new Random(SEED);
    private long lastBlock;

    @Test
    void deadRoomAboveAThirdGoesAwayDayByDayAndWholeRunsComeBack() throws TatamiException {
        String when = "-Dtatami.test.seed=" + SEED;
        for (int i = 0; i < 30; i++) {
            write(REGION, ExtentAllocator.End.LOW);
        }
        for (int i = 0; i < 12_000; i++) {
            small.add(write(length(), ExtentAllocator.End.HIGH));
        }
        long movedBytes = 0;
        for (int day = 0; day < DAYS; day++) {
            churn(3_000, 2_300);
            movedBytes += compact();
            assertEquals(List.of(), compacted.worthEmptying(), when + ", day " + day);
            assertTrue(compacted.wholeRuns() >= left.wholeRuns(), when + ", day " + day);
        }
        String figures = when + ": " + compacted.wholeRuns() + " whole runs and " + compacted.deadBytes()
                + " dead bytes with " + movedBytes + " moved, " + left.wholeRuns() + " and " + left.deadBytes()
                + " without";
        System.out.println(figures);
        assertFalse(left.worthEmptying().isEmpty(), figures);
        assertTrue(compacted.deadBytes() < left.deadBytes() / 2, figures);
        assertTrue(compacted.wholeRuns() > left.wholeRuns() + 2, figures);
    }

    /** Which small files go has nothing to do with where they are. */
    private void churn(int deleted, int written) throws TatamiException {
        Collections.shuffle(small, random);
        List<BlockId> going = small.subList(0, Math.min(deleted, small.size()));
        for (BlockId block : going) {
            compacted.delete(block);
            left.delete(block);
        }
        going.clear();
        for (int i = 0; i < written; i++) {
            small.add(write(length(), ExtentAllocator.End.HIGH));
        }
    }

    private long compact() {
        long movedBytes = 0;
        CompactionPlanner planner = new CompactionPlanner(AREA, REGION);
        while (true) {
            long runs = compacted.wholeRuns();
            Optional<Plan> plan = planner.plan(compacted.placed(), compacted.allocator.freeRuns());
            if (plan.isEmpty()) {
                return movedBytes;
            }
            plan.get().moves().forEach(compacted::move);
            movedBytes += plan.get().moves().stream()
                    .mapToLong(move -> move.to().lengthBytes())
                    .sum();
            assertTrue(compacted.wholeRuns() >= runs, "a plan took more than it gave");
        }
    }

    private BlockId write(long length, ExtentAllocator.End end) throws TatamiException {
        BlockId block = new BlockId(++lastBlock);
        compacted.write(block, length, end);
        left.write(block, length, end);
        return block;
    }

    /** What a client packs, its logarithm evenly spread. */
    private long length() {
        return Math.round((16 << 10) * Math.pow(64, random.nextDouble()));
    }
}
