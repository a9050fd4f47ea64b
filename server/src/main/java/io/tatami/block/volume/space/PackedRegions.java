package io.tatami.block.volume.space;

import io.tatami.block.device.Device;
import java.util.stream.IntStream;

/**
 * What is in each region of a volume. Regions are of one length and counted from the high end, from which short blocks
 * are packed; the last one, at the low end, may be shorter.
 *
 * <pre>
 *  low end                                                                        high end
 * +-----+-----------+-----------+----- ... -----+-----------+-----------+-----------+
 * | n-1 |    n-2    |    n-3    |               |     2     |     1     |     0     |
 * +-----+-----------+-----------+----- ... -----+-----------+-----------+-----------+
 * </pre>
 *
 * Free room is dead where no free run as long as a region goes through it: a streaming writer that reserves a whole
 * block cannot have it, and what short blocks have left between them is of use only to blocks that are shorter still.
 * Used by one thread.
 */
public final class PackedRegions {
    /**
     * Longer blocks are not packed, and a region that has some of one is left alone: moving them costs more than it
     * gives.
     */
    static final long SHORT_BYTES_MAX = Device.UNIT_BYTES;

    private final Extent area;
    private final long regionBytes;
    private final long[] liveBytes;
    private final long[] deadBytes;
    private final boolean[] fixed;
    private final boolean[] streamed;

    public PackedRegions(Extent area, long regionBytes) {
        this.area = area;
        this.regionBytes = regionBytes;
        int regions = (int) ((area.lengthBytes() + regionBytes - 1) / regionBytes);
        this.liveBytes = new long[regions];
        this.deadBytes = new long[regions];
        this.fixed = new boolean[regions];
        this.streamed = new boolean[regions];
    }

    /** Counts a block. */
    public void add(PlacedBlock placed) {
        Extent extent = placed.extent();
        regionsOf(extent).forEach(region -> {
            liveBytes[region] += overlapBytes(region, extent);
            fixed[region] |= !placed.movable();
            streamed[region] |= extent.lengthBytes() > SHORT_BYTES_MAX;
        });
    }

    /** Counts a free run; none that it touches was counted before. */
    public void addFree(Extent run) {
        if (run.lengthBytes() < regionBytes) {
            regionsOf(run).forEach(region -> deadBytes[region] += overlapBytes(region, run));
        }
    }

    /** The numbers of the regions that an extent touches. */
    IntStream regionsOf(Extent extent) {
        return extent.isEmpty()
                ? IntStream.empty()
                : IntStream.rangeClosed(numberOf(extent.endBytes() - 1), numberOf(extent.offsetBytes()));
    }

    Extent region(int number) {
        long end = area.endBytes() - number * regionBytes;
        long start = Math.max(area.offsetBytes(), end - regionBytes);
        return new Extent(start, end - start);
    }

    long deadBytes(int region) {
        return deadBytes[region];
    }

    /** Whether short blocks are all there is in the region. */
    boolean isPacked(int region) {
        return liveBytes[region] > 0 && !streamed[region];
    }

    /** Whether more than a third of the region is dead and all that is live can be moved; the worst comes first. */
    public IntStream worthEmptying() {
        return IntStream.range(0, liveBytes.length)
                .filter(region -> isPacked(region)
                        && !fixed[region]
                        && deadBytes[region] * 3 > region(region).lengthBytes())
                .boxed()
                .sorted((one, other) -> Long.compare(deadBytes[other], deadBytes[one]))
                .mapToInt(Integer::intValue);
    }

    /** What of an extent is in a region. */
    Extent part(int region, Extent extent) {
        Extent whole = region(region);
        long start = Math.max(whole.offsetBytes(), extent.offsetBytes());
        long end = Math.min(whole.endBytes(), extent.endBytes());
        return start < end ? new Extent(start, end - start) : Extent.EMPTY;
    }

    private long overlapBytes(int region, Extent extent) {
        return part(region, extent).lengthBytes();
    }

    private int numberOf(long addressBytes) {
        return (int) ((area.endBytes() - 1 - addressBytes) / regionBytes);
    }
}
