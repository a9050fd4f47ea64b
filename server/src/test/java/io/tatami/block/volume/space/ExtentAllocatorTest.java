package io.tatami.block.volume.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.ExtentAllocator.End;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExtentAllocatorTest {
    private static final int PAGE = 4096;
    private static final int PAGES = 512;
    private static final long START = 4L << 20;

    private final ExtentAllocator allocator = new ExtentAllocator(new Extent(START, PAGES * PAGE), 0);

    @Test
    void longBlocksComeFromTheLowEndAndShortOnesFromTheHighEnd() throws TatamiException {
        assertEquals(new Extent(START, 10 * PAGE), allocator.allocate(10 * PAGE, 1, End.LOW));
        assertEquals(new Extent(START + (PAGES - 2) * PAGE, 2 * PAGE), allocator.allocate(PAGE + 1, 1, End.HIGH));
        assertEquals(new Extent(START + 10 * PAGE, PAGE), allocator.allocate(1, 1, End.LOW));
    }

    @Test
    void theLongestIsGivenWhereNoneIsLongEnough() throws TatamiException {
        allocator.allocate(100 * PAGE, 1, End.LOW);

        assertEquals(
                (PAGES - 100) * PAGE,
                allocator.allocate(PAGES * PAGE, 1, End.LOW).lengthBytes());
        TatamiException full = assertThrows(TatamiException.class, () -> allocator.allocate(1, 1, End.LOW));
        assertEquals(ErrorCode.NO_SPACE, full.code());
    }

    @Test
    void theReserveIsNeverGiven() throws TatamiException {
        ExtentAllocator reserving = new ExtentAllocator(new Extent(START, PAGES * PAGE), 12 * PAGE);

        assertEquals(500 * PAGE, reserving.allocate(PAGES * PAGE, 1, End.LOW).lengthBytes());
        assertEquals(0, reserving.freeBytes());
        assertThrows(TatamiException.class, () -> reserving.allocate(1, 1, End.LOW));
    }

    @Test
    void releasingWhatIsFreeIsABug() throws TatamiException {
        Extent extent = allocator.allocate(PAGE, 1, End.LOW);
        allocator.release(extent);

        assertThrows(IllegalStateException.class, () -> allocator.release(extent));
    }

    @Test
    void behavesAsABitmapThatIsSearchedFromBothEnds() throws TatamiException {
        for (long seed = 1; seed <= 200; seed++) {
            new Comparison(seed).run();
        }
    }

    /** Random calls on an allocator and on a bitmap of its pages. */
    private static final class Comparison {
        private final long seed;
        private final Random random;
        private final ExtentAllocator allocator = new ExtentAllocator(new Extent(START, PAGES * PAGE), 0);
        private final BitSet taken = new BitSet(PAGES);
        private final List<Extent> extents = new ArrayList<>();

        Comparison(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() throws TatamiException {
            for (int step = 0; step < 200; step++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> allocate();
                    case 2 -> extend();
                    case 3 -> claim();
                    default -> release();
                }
                assertEquals(taken.cardinality() * (long) PAGE, allocator.usedBytes(), "seed " + seed);
                assertEquals(longestRun() * (long) PAGE, allocator.largestFreeBytes(), "seed " + seed);
                assertEquals(runs(), allocator.freeExtents(), "seed " + seed);
            }
        }

        private void allocate() throws TatamiException {
            int wanted = 1 + random.nextInt(random.nextBoolean() ? 8 : 200);
            End end = random.nextBoolean() ? End.LOW : End.HIGH;
            int length = Math.min(wanted, longestRun());
            if (length == 0) {
                assertThrows(TatamiException.class, () -> allocator.allocate(PAGE, 1, end), "seed " + seed);
                return;
            }
            Extent got = allocator.allocate((long) wanted * PAGE - random.nextInt(PAGE), 1, end);
            assertEquals(length * (long) PAGE, got.lengthBytes(), "seed " + seed);
            if (length == wanted) {
                assertEquals(end == End.LOW ? lowest(length) : highest(length), page(got), "seed " + seed);
            }
            assertTrue(isFree(page(got), length), "seed " + seed + ": " + got + " was taken");
            taken.set(page(got), page(got) + length);
            extents.add(got);
        }

        private void extend() {
            if (extents.isEmpty()) {
                return;
            }
            Extent old = extents.remove(random.nextInt(extents.size()));
            long wanted = old.lengthBytes() + random.nextInt(10) * (long) PAGE;
            int end = page(old) + pages(old);
            while (end < PAGES && !taken.get(end) && (end - page(old)) * (long) PAGE < wanted) {
                taken.set(end++);
            }
            Extent got = allocator.extend(old, wanted);
            assertEquals((end - page(old)) * (long) PAGE, got.lengthBytes(), "seed " + seed);
            extents.add(got);
        }

        private void claim() {
            int page = random.nextInt(PAGES - 4);
            Extent wanted = new Extent(START + (long) page * PAGE, 4 * PAGE);
            boolean free = isFree(page, 4);
            assertEquals(free, allocator.claim(wanted), "seed " + seed);
            if (free) {
                taken.set(page, page + 4);
                extents.add(wanted);
            } else {
                assertFalse(allocator.claim(wanted));
            }
        }

        private void release() {
            if (!extents.isEmpty()) {
                Extent old = extents.remove(random.nextInt(extents.size()));
                long kept = random.nextInt(pages(old) + 1) * (long) PAGE;
                allocator.release(old.rest(kept));
                taken.clear(page(old) + (int) (kept / PAGE), page(old) + pages(old));
                if (kept > 0) {
                    extents.add(old.head(kept));
                }
            }
        }

        private boolean isFree(int page, int length) {
            int next = taken.nextSetBit(page);
            return page + length <= PAGES && (next < 0 || next >= page + length);
        }

        private int lowest(int length) {
            int page = 0;
            while (!isFree(page, length)) {
                page++;
            }
            return page;
        }

        private int highest(int length) {
            int page = PAGES - length;
            while (!isFree(page, length)) {
                page--;
            }
            return page;
        }

        private int longestRun() {
            int longest = 0;
            int run = 0;
            for (int page = 0; page < PAGES; page++) {
                run = taken.get(page) ? 0 : run + 1;
                longest = Math.max(longest, run);
            }
            return longest;
        }

        private int runs() {
            int runs = 0;
            for (int page = 0; page < PAGES; page++) {
                runs += !taken.get(page) && (page == 0 || taken.get(page - 1)) ? 1 : 0;
            }
            return runs;
        }

        private static int page(Extent extent) {
            return (int) ((extent.offsetBytes() - START) / PAGE);
        }

        private static int pages(Extent extent) {
            return (int) (extent.lengthBytes() / PAGE);
        }
    }
}
