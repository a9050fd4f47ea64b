package io.tatami.block.volume.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.ExtentAllocator.End;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An allocator, and a book of its own of what was taken, against which every answer is held. */
final class BookedVolume {
    private static final int CHECKED_LOWEST = 1_024;

    private final ExtentAllocator allocator;
    private final Extent area;
    private final String replay;
    private final TreeMap<Long, Long> taken = new TreeMap<>();
    private long takenBytes;
    private int allocations;

    /** @param replay what a failure says */
    BookedVolume(long lengthBytes, String replay) {
        this.area = new Extent(4L << 20, lengthBytes);
        this.allocator = new ExtentAllocator(area, 0);
        this.replay = replay;
    }

    /** What the volume is made of, seen from outside. */
    record Shape(
            double used, double lowerUsed, double upperUsed, double meanAddress, long longestFreeBytes, int freeRuns) {}

    /** An extent; null where the volume refused, which it may only where its free runs are all too short. */
    @Nullable
    Extent allocate(long wantedBytes, long neededBytes, End end) {
        Extent extent;
        try {
            extent = allocator.allocate(wantedBytes, neededBytes, end);
        } catch (TatamiException e) {
            assertTrue(longestFree() < neededBytes, () -> replay + ": refused with a run free: " + e);
            return null;
        }
        boolean whole = extent.lengthBytes() >= wantedBytes;
        assertTrue(extent.lengthBytes() >= neededBytes, replay);
        if (++allocations % CHECKED_LOWEST == 0 || !whole) {
            assertEquals(expected(whole ? wantedBytes : longestFree(), end), extent.offsetBytes(), replay);
        }
        book(extent);
        return extent;
    }

    void giveBack(Extent extent, long keptBytes) {
        assertEquals(extent.lengthBytes(), taken.getOrDefault(extent.offsetBytes(), 0L), replay);
        taken.remove(extent.offsetBytes());
        takenBytes -= extent.lengthBytes();
        book(extent.head(keptBytes));
        allocator.release(extent.rest(keptBytes));
    }

    boolean isFuller(double share) {
        return takenBytes > share * area.lengthBytes();
    }

    /** Compares the allocator's sums with the book's. */
    Shape shape() {
        assertEquals(takenBytes, allocator.usedBytes(), replay);
        assertEquals(longestFree(), allocator.largestFreeBytes(), replay);
        long half = area.lengthBytes() / 2;
        long middle = area.offsetBytes() + half;
        double moment = 0;
        long lower = 0;
        long freeFrom = area.offsetBytes();
        int runs = 0;
        for (Map.Entry<Long, Long> entry : taken.entrySet()) {
            long offset = entry.getKey();
            long length = entry.getValue();
            moment += (offset - area.offsetBytes() + length / 2.0) * length;
            lower += Math.max(0, Math.min(middle, offset + length) - Math.min(middle, offset));
            runs += offset > freeFrom ? 1 : 0;
            freeFrom = offset + length;
        }
        runs += freeFrom < area.endBytes() ? 1 : 0;
        assertEquals(runs, allocator.freeExtents(), replay);
        double all = area.lengthBytes();
        return new Shape(
                takenBytes / all,
                (double) lower / half,
                (double) (takenBytes - lower) / half,
                moment / Math.max(1, takenBytes) / all,
                longestFree(),
                runs);
    }

    private void book(Extent extent) {
        if (extent.isEmpty()) {
            return;
        }
        Map.Entry<Long, Long> before = taken.lowerEntry(extent.endBytes());
        assertTrue(
                before == null || before.getKey() + before.getValue() <= extent.offsetBytes(),
                () -> replay + ": " + extent + " was taken");
        assertTrue(
                extent.offsetBytes() >= area.offsetBytes() && extent.endBytes() <= area.endBytes(),
                () -> replay + ": " + extent + " is outside");
        taken.put(extent.offsetBytes(), extent.lengthBytes());
        takenBytes += extent.lengthBytes();
    }

    private long longestFree() {
        long longest = 0;
        long freeFrom = area.offsetBytes();
        for (Map.Entry<Long, Long> entry : taken.entrySet()) {
            longest = Math.max(longest, entry.getKey() - freeFrom);
            freeFrom = entry.getKey() + entry.getValue();
        }
        return Math.max(longest, area.endBytes() - freeFrom);
    }

    /** Where the lowest, or the highest, free run of this length would be taken. */
    private long expected(long lengthBytes, End end) {
        long aligned = new Extent(0, 0).head(lengthBytes).lengthBytes();
        long freeFrom = area.offsetBytes();
        long found = -1;
        for (Map.Entry<Long, Long> entry : taken.entrySet()) {
            if (entry.getKey() - freeFrom >= aligned) {
                found = end == End.LOW ? freeFrom : entry.getKey() - aligned;
                if (end == End.LOW) {
                    return found;
                }
            }
            freeFrom = entry.getKey() + entry.getValue();
        }
        boolean fitsLast = area.endBytes() - freeFrom >= aligned;
        return !fitsLast ? found : end == End.LOW ? freeFrom : area.endBytes() - aligned;
    }
}
