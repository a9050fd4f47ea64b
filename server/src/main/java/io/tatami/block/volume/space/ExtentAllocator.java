package io.tatami.block.volume.space;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of a volume no block has. First fit from one end: streaming blocks from the low end, because low
 * addresses are the outer, faster tracks of a disk; blocks known to be short from the high end, so that they leave no
 * gaps between the long ones. Neighbouring free extents are one.
 *
 * <p>Nothing here is stored: the index's records are the truth, and an opened volume claims their extents one by one. A
 * released extent may be handed out at once, so release it only when the index no longer names it.
 *
 * <p>Of the placements that keep to one extent a block, address-ordered first fit is among those that fragment least in
 * the long run (Wilson, Johnstone, Neely and Boles, "Dynamic Storage Allocation: A Survey and Critical Review", 1995).
 * It is here for the disk's sake, and a week of churn shows what it costs: docs/evidence/allocator-week.svg. What a
 * short block leaves of the room reserved for it is useful again once a neighbour goes.
 *
 * <p>Free extents are kept by address, by address within each power of two of their lengths, so that a fit is found
 * without looking at shorter ones, and by length, for the longest. Safe for use by many threads, under one lock.
 */
public final class ExtentAllocator {
    /** From which end of the volume an extent is taken. */
    public enum End {
        LOW,
        HIGH
    }

    /** Of several that are the longest, the lowest is given. */
    private static final Comparator<Extent> LOWEST_LAST =
            Comparator.comparingLong(Extent::offsetBytes).reversed();

    private final Extent area;
    private final long reserveBytes;
    private final TreeMap<Long, Long> lengths = new TreeMap<>();
    private final TreeSet<Extent> byLength =
            new TreeSet<>(Comparator.comparingLong(Extent::lengthBytes).thenComparing(LOWEST_LAST));
    private final List<TreeSet<Long>> offsetsByClass = new ArrayList<>(Long.SIZE);
    private long freeBytes;

    /**
     * @param area what blocks may have; all of it is free at first
     * @param reserveBytes is never handed out, so that {@link #freeBytes()} reaches 0 before the area is full
     */
    public ExtentAllocator(Extent area, long reserveBytes) {
        this.area = area;
        this.reserveBytes = reserveBytes;
        for (int i = 0; i < Long.SIZE; i++) {
            offsetsByClass.add(new TreeSet<>());
        }
        if (!area.isEmpty()) {
            add(area.offsetBytes(), area.lengthBytes());
        }
    }

    /**
     * Takes an extent of {@code wantedBytes}, rounded up to the alignment, or the longest there is where none is as
     * long.
     *
     * @param minimumBytes nothing shorter is of use; at least 1
     * @throws TatamiException NO_SPACE where no free extent has {@code minimumBytes}
     */
    public synchronized Extent allocate(long wantedBytes, long minimumBytes, End end) throws TatamiException {
        Check.check(
                minimumBytes > 0 && wantedBytes >= minimumBytes, "%d bytes, %d at least", wantedBytes, minimumBytes);
        long allowed = Device.alignDown(freeBytes());
        long wanted = Math.min(Device.alignUp(wantedBytes), allowed);
        if (wanted < Device.alignUp(minimumBytes)) {
            throw noSpace(minimumBytes);
        }
        Long found = end == End.LOW ? lowestFit(wanted) : highestFit(wanted);
        if (found == null) {
            found = longest();
            if (found == null || lengthAt(found) < minimumBytes) {
                throw noSpace(minimumBytes);
            }
            wanted = Math.min(lengthAt(found), wanted);
        }
        return take(found, wanted, end);
    }

    /**
     * Lengthens an extent at its end, by what is free there.
     *
     * @param wantedBytes the length to reach, rounded up to the alignment
     * @return the extent, up to {@code wantedBytes} long; the same where nothing is free behind it
     */
    public synchronized Extent extend(Extent extent, long wantedBytes) {
        long more = Math.min(Device.alignUp(wantedBytes) - extent.lengthBytes(), Device.alignDown(freeBytes()));
        Long behind = lengths.get(extent.endBytes());
        if (extent.isEmpty() || behind == null || more <= 0) {
            return extent;
        }
        Extent taken = take(extent.endBytes(), Math.min(more, behind), End.LOW);
        return new Extent(extent.offsetBytes(), extent.lengthBytes() + taken.lengthBytes());
    }

    /** Takes just this extent, where all of it is free; false where it is not. */
    public synchronized boolean claim(Extent extent) {
        if (extent.isEmpty()) {
            return true;
        }
        Map.Entry<Long, Long> before = lengths.floorEntry(extent.offsetBytes());
        if (before == null || before.getKey() + before.getValue() < extent.endBytes()) {
            return false;
        }
        long offset = before.getKey();
        long length = before.getValue();
        remove(offset, length);
        addIfAny(offset, extent.offsetBytes() - offset);
        addIfAny(extent.endBytes(), offset + length - extent.endBytes());
        return true;
    }

    /** Makes an extent free that was taken; releasing anything else is a bug. */
    public synchronized void release(Extent extent) {
        if (extent.isEmpty()) {
            return;
        }
        long offset = extent.offsetBytes();
        long end = extent.endBytes();
        Check.check(offset >= area.offsetBytes() && end <= area.endBytes(), "%s is outside %s", extent, area);
        Map.Entry<Long, Long> before = lengths.floorEntry(offset);
        Map.Entry<Long, Long> behind = lengths.ceilingEntry(offset);
        Check.check(before == null || before.getKey() + before.getValue() <= offset, "%s was free", extent);
        Check.check(behind == null || behind.getKey() >= end, "%s was free", extent);
        if (before != null && before.getKey() + before.getValue() == offset) {
            offset = before.getKey();
            remove(before.getKey(), before.getValue());
        }
        if (behind != null && behind.getKey() == end) {
            end += behind.getValue();
            remove(behind.getKey(), behind.getValue());
        }
        add(offset, end - offset);
    }

    /** All that blocks may have, taken or free. */
    public long capacityBytes() {
        return area.lengthBytes();
    }

    /** What may still be taken. */
    public synchronized long freeBytes() {
        return Math.max(0, freeBytes - reserveBytes);
    }

    /** What is taken. */
    public synchronized long usedBytes() {
        return area.lengthBytes() - freeBytes;
    }

    /** The longest extent that can be taken now. */
    public synchronized long largestFreeBytes() {
        Long found = longest();
        return found == null ? 0 : Math.min(lengthAt(found), Device.alignDown(freeBytes()));
    }

    /** The lowest of the longest that are free, reserve and all; empty where nothing is. */
    public synchronized Extent longestRun() {
        return byLength.isEmpty() ? Extent.EMPTY : byLength.last();
    }

    /** How many free extents there are: a measure of fragmentation. */
    synchronized int freeExtents() {
        return lengths.size();
    }

    /** What is free, by rising address; no two of them touch. */
    public synchronized List<Extent> freeRuns() {
        List<Extent> runs = new ArrayList<>(lengths.size());
        lengths.forEach((offset, length) -> runs.add(new Extent(offset, length)));
        return runs;
    }

    /** All that blocks may have. */
    public Extent area() {
        return area;
    }

    private @Nullable Long lowestFit(long wanted) {
        int wantedClass = classOf(wanted);
        Long lowest = null;
        for (int i = wantedClass + 1; i < Long.SIZE; i++) {
            NavigableSet<Long> offsets = offsetsByClass.get(i);
            if (!offsets.isEmpty() && (lowest == null || offsets.first() < lowest)) {
                lowest = offsets.first();
            }
        }
        for (Long offset : offsetsByClass.get(wantedClass)) {
            if (lowest != null && offset > lowest) {
                break;
            }
            if (lengthAt(offset) >= wanted) {
                return offset;
            }
        }
        return lowest;
    }

    private @Nullable Long highestFit(long wanted) {
        int wantedClass = classOf(wanted);
        Long highest = null;
        for (int i = wantedClass + 1; i < Long.SIZE; i++) {
            NavigableSet<Long> offsets = offsetsByClass.get(i);
            if (!offsets.isEmpty() && (highest == null || offsets.last() > highest)) {
                highest = offsets.last();
            }
        }
        for (Long offset : offsetsByClass.get(wantedClass).descendingSet()) {
            if (highest != null && offset < highest) {
                break;
            }
            if (lengthAt(offset) >= wanted) {
                return offset;
            }
        }
        return highest;
    }

    private @Nullable Long longest() {
        return byLength.isEmpty() ? null : byLength.last().offsetBytes();
    }

    private Extent take(long offset, long wanted, End end) {
        long length = lengthAt(offset);
        remove(offset, length);
        if (end == End.LOW) {
            addIfAny(offset + wanted, length - wanted);
            return new Extent(offset, wanted);
        }
        addIfAny(offset, length - wanted);
        return new Extent(offset + length - wanted, wanted);
    }

    private void addIfAny(long offset, long length) {
        if (length > 0) {
            add(offset, length);
        }
    }

    private void add(long offset, long length) {
        lengths.put(offset, length);
        offsetsByClass.get(classOf(length)).add(offset);
        byLength.add(new Extent(offset, length));
        freeBytes += length;
    }

    private void remove(long offset, long length) {
        lengths.remove(offset);
        offsetsByClass.get(classOf(length)).remove(offset);
        byLength.remove(new Extent(offset, length));
        freeBytes -= length;
    }

    private long lengthAt(long offset) {
        Long length = lengths.get(offset);
        if (length == null) {
            throw new IllegalStateException("no free extent at " + offset);
        }
        return length;
    }

    /** The power of two at or below a length, as its exponent. */
    private static int classOf(long length) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(length);
    }

    private TatamiException noSpace(long minimumBytes) {
        return new TatamiException(
                ErrorCode.NO_SPACE,
                "no free extent of " + minimumBytes + " bytes: " + freeBytes() + " of " + area.lengthBytes()
                        + " bytes are free in " + lengths.size()
                        + " extents; the rest is used or reserved by open blocks. Close or delete files, or add a volume");
    }
}
