package io.tatami.block.volume.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.block.volume.space.CompactionPlanner.Move;
import io.tatami.block.volume.space.CompactionPlanner.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Regions of 32 slots of 512 KiB, counted from the high end, twelve of them, full at first. */
class CompactionPlannerTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final long SLOT = 512 << 10;
    private static final int SLOTS = 32;
    private static final int REGIONS = 12;
    private static final long REGION = SLOTS * SLOT;
    private static final Extent AREA = new Extent(4 << 20, REGIONS * REGION);

    private final TreeMap<Long, PlacedBlock> placed = new TreeMap<>();
    private final CompactionPlanner planner = new CompactionPlanner(AREA, REGION);
    private long lastBlock;

    @BeforeEach
    void fillAll() {
        for (int region = 0; region < REGIONS; region++) {
            fill(region, 0, SLOTS);
        }
    }

    @Test
    void aRegionIsEmptiedWhenMoreThanAThirdOfItIsDead() {
        for (int region : new int[] {5, 7, 8, 9}) {
            fill(region, 0, 22);
        }
        assertTrue(plan().isEmpty(), "ten of 32 slots are less than a third");

        fill(5, 0, 21);

        assertEquals(region(5), plan().orElseThrow().region());
    }

    @Test
    void theRegionWithMostDeadRoomComesFirst() {
        makeHoles(2, 12);
        makeHoles(3, 20);
        makeHoles(4, 15);

        assertEquals(region(3), plan().orElseThrow().region());
    }

    @Test
    void allBlocksOfTheRegionGoToTheHighestHolesOfOtherRegions() {
        makeHoles(1, 5);
        makeHoles(2, 24);
        makeHoles(6, 8);

        Plan plan = plan().orElseThrow();

        assertEquals(region(2), plan.region());
        assertEquals(24 * SLOT, plan.deadBytes());
        List<Long> targets = plan.moves().stream()
                .map(move -> move.to().offsetBytes())
                .sorted()
                .toList();
        List<Long> highest = Stream.concat(
                        Stream.of(10, 12, 14).map(slot -> slot(6, slot)),
                        Stream.of(0, 2, 4, 6, 8).map(slot -> slot(1, slot)))
                .toList();
        assertEquals(highest, targets);
    }

    @Test
    void aRegionThatALongBlockTouchesIsNeitherEmptiedNorFilled() {
        makeHoles(3, 16);
        fill(1, 9, 10);
        put(slot(1, 0), 9 * SLOT);
        assertTrue(plan().isEmpty(), "22 slots are free beside the long block");

        makeHoles(1, 16);

        assertEquals(16, plan().orElseThrow().moves().size());
    }

    @Test
    void aRegionWithABlockThatCannotBeMovedIsFilledAndNotEmptied() {
        makeHoles(2, 20);
        makeHoles(3, 12);
        PlacedBlock kept = Objects.requireNonNull(placed.get(slot(2, 31)));
        placed.put(slot(2, 31), new PlacedBlock(kept.block(), kept.extent(), false));

        Plan plan = plan().orElseThrow();

        assertEquals(region(3), plan.region());
        assertTrue(plan.moves().stream().allMatch(move -> isWithin(move.to(), region(2))), plan.toString());
    }

    @Test
    void whatFitsIntoNoHoleGoesToTheHighEndOfALongRun() {
        makeHoles(0, 12);
        clear(5, REGIONS);

        Plan plan = plan().orElseThrow();

        assertEquals(region(0), plan.region());
        assertEquals(20, plan.moves().size());
        Extent high = new Extent(region(4).offsetBytes() - 20 * SLOT, 20 * SLOT);
        assertTrue(plan.moves().stream().allMatch(move -> isWithin(move.to(), high)), plan.toString());
    }

    @Test
    void aRunThatWouldNotStayLongIsNotTouched() {
        makeHoles(0, 12);
        clear(9, 10);
        fill(10, 0, 1);
        assertTrue(plan().isEmpty(), "the run has 63 slots");

        clear(10, 11);

        assertEquals(region(0), plan().orElseThrow().region());
    }

    @Test
    void whereOneBlockHasNoPlaceNoneMoves() {
        makeHoles(0, 16);
        makeHoles(5, 10);

        assertTrue(plan().isEmpty(), "sixteen blocks and ten holes");
    }

    @Test
    void roomBelowTheLastPackedBlockIsNotDead() {
        clear(0, REGIONS);
        fill(0, 31, 32);

        assertTrue(plan().isEmpty());
        assertEquals(0, planner.deadBytes(freeRuns()));
    }

    @Test
    void aVolumeWithoutBlocksOrShorterThanARegionNeedsNothing() {
        clear(0, REGIONS);
        assertTrue(plan().isEmpty());
        Extent tiny = new Extent(4 << 20, 4 * SLOT);
        PlacedBlock only = new PlacedBlock(new BlockId(1), new Extent(tiny.offsetBytes() + SLOT, SLOT), true);
        List<Extent> free =
                List.of(new Extent(tiny.offsetBytes(), SLOT), new Extent(tiny.offsetBytes() + 2 * SLOT, 2 * SLOT));

        assertTrue(new CompactionPlanner(tiny, REGION).plan(List.of(only), free).isEmpty());
    }

    @Test
    void plansOfRandomVolumesMoveEachBlockOnceAndComeToAnEnd() {
        int plans = 0;
        for (long seed = SEED; seed < SEED + 200; seed++) {
            plans += carryOutAll(seed);
        }
        assertTrue(plans > 200, plans + " plans only");
    }

    private int carryOutAll(long seed) {
        String when = "-Dtatami.test.seed=" + seed;
        Random random = new Random(seed);
        placed.clear();
        int share = random.nextInt(100);
        for (long at = AREA.offsetBytes(); at < AREA.endBytes(); ) {
            long length = Math.min(AREA.endBytes() - at, 4096L * (1 + random.nextInt(1 + random.nextInt(1_024))));
            if (random.nextInt(100) < share) {
                put(at, length);
            }
            at += length;
        }
        int plans = 0;
        for (Optional<Plan> plan = plan(); plan.isPresent(); plan = plan()) {
            long dead = planner.deadBytes(freeRuns());
            carryOut(plan.get(), when);
            long gained = dead - planner.deadBytes(freeRuns());
            assertTrue(gained * 3 > REGION, when + ": " + gained + " bytes gained of " + dead);
            plans++;
        }
        assertTrue(plans <= 3 * REGIONS, when + " took " + plans + " plans");
        return plans;
    }

    private void carryOut(Plan plan, String when) {
        for (Move move : plan.moves()) {
            assertTrue(!isWithin(move.to(), plan.region()), when);
            assertEquals(move.from().lengthBytes(), move.to().lengthBytes(), when);
        }
        // All are taken out of the book only when all are in: none may need the room of one that has yet to move.
        for (Move move : plan.moves()) {
            assertFree(move.to(), when);
            placed.put(move.to().offsetBytes(), new PlacedBlock(move.block(), move.to(), true));
        }
        for (Move move : plan.moves()) {
            PlacedBlock left = placed.remove(move.from().offsetBytes());
            assertEquals(move.block(), left == null ? null : left.block(), when);
        }
        assertTrue(
                freeRuns().stream()
                        .anyMatch(run -> run.offsetBytes() <= plan.region().offsetBytes()
                                && run.endBytes() >= plan.region().endBytes()),
                when + ": the region is not one free run");
    }

    private void assertFree(Extent extent, String when) {
        Map.Entry<Long, PlacedBlock> before = placed.lowerEntry(extent.endBytes());
        assertFalse(
                before != null && before.getValue().extent().endBytes() > extent.offsetBytes(),
                when + ": " + extent + " is taken");
    }

    private Optional<Plan> plan() {
        return planner.plan(placed.values(), freeRuns());
    }

    private List<Extent> freeRuns() {
        List<Extent> runs = new ArrayList<>();
        long from = AREA.offsetBytes();
        for (PlacedBlock block : placed.values()) {
            if (block.extent().offsetBytes() > from) {
                runs.add(new Extent(from, block.extent().offsetBytes() - from));
            }
            from = block.extent().endBytes();
        }
        if (from < AREA.endBytes()) {
            runs.add(new Extent(from, AREA.endBytes() - from));
        }
        return runs;
    }

    /**
     * The region full of blocks of one slot but for so many holes: between blocks as long as there are, or else in a
     * row.
     */
    private void makeHoles(int region, int holes) {
        clear(region);
        for (int slot = 0; slot < SLOTS; slot++) {
            boolean hole = holes <= SLOTS / 2 ? slot % 2 == 0 && slot < 2 * holes : slot < holes;
            if (!hole) {
                put(slot(region, slot), SLOT);
            }
        }
    }

    /** The region with blocks in some slots and none else. */
    private void fill(int region, int fromSlot, int toSlot) {
        clear(region);
        for (int slot = fromSlot; slot < toSlot; slot++) {
            put(slot(region, slot), SLOT);
        }
    }

    private void clear(int firstRegion, int endRegion) {
        for (int region = firstRegion; region < endRegion; region++) {
            clear(region);
        }
    }

    private void clear(int region) {
        placed.values().removeIf(block -> isWithin(block.extent(), region(region)));
    }

    private void put(long offset, long length) {
        PlacedBlock block = new PlacedBlock(new BlockId(++lastBlock), new Extent(offset, length), true);
        placed.subMap(offset, offset + length).clear();
        placed.put(offset, block);
    }

    private static boolean isWithin(Extent extent, Extent region) {
        return extent.offsetBytes() < region.endBytes() && extent.endBytes() > region.offsetBytes();
    }

    private static Extent region(int number) {
        return new Extent(AREA.endBytes() - (number + 1) * REGION, REGION);
    }

    private static long slot(int region, int slot) {
        return region(region).offsetBytes() + slot * SLOT;
    }
}
