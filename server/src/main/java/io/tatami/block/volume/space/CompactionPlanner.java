package io.tatami.block.volume.space;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides which region of a volume is emptied next, and where each of its blocks goes: to holes between short blocks in
 * other regions, the highest that fit; what fits into none, to the high end of a free run that stays as long as a
 * region after that. A region of which not every block has a place is left as it is, for moving some of them frees no
 * run.
 *
 * <p>Each plan carried out makes dead room less by more than a third of a region: the region becomes one free run,
 * holes are filled, and no other run becomes short. So who plans again and again comes to an end.
 */
public final class CompactionPlanner {
    /** So many regions are tried, the worst first, before it is taken for granted that there is no place. */
    private static final int TRIES_MAX = 8;

    private static final Comparator<PlacedBlock> LONGEST_FIRST = Comparator.comparingLong(
                    (PlacedBlock placed) -> placed.extent().lengthBytes())
            .reversed()
            .thenComparing(Comparator.comparingLong(
                    (PlacedBlock placed) -> placed.extent().offsetBytes()));

    private final Extent area;
    private final long regionBytes;

    /** @param regionBytes a free run of this length is worth making; a multiple of 4 KiB */
    public CompactionPlanner(Extent area, long regionBytes) {
        this.area = area;
        this.regionBytes = regionBytes;
    }

    /** A block's way. */
    public record Move(BlockId block, Extent from, Extent to) {}

    /**
     * What empties a region.
     *
     * @param deadBytes how much of the region is dead now
     * @param moves of all of the region's blocks, by rising address
     */
    public record Plan(Extent region, long deadBytes, List<Move> moves) {}

    /** How much of the free room no free run as long as a region goes through. */
    public long deadBytes(List<Extent> freeRuns) {
        return freeRuns.stream()
                .mapToLong(Extent::lengthBytes)
                .filter(bytes -> bytes < regionBytes)
                .sum();
    }

    /**
     * The next region to empty; nothing where no region has more than a third dead, or no place for its blocks.
     *
     * @param blocks gone through several times; one that moves meanwhile may be missed, and its region is then not
     *     emptied
     */
    public Optional<Plan> plan(Iterable<PlacedBlock> blocks, List<Extent> freeRuns) {
        if (deadBytes(freeRuns) * 3 <= regionBytes) {
            return Optional.empty();
        }
        PackedRegions regions = new PackedRegions(area, regionBytes);
        blocks.forEach(regions::add);
        freeRuns.forEach(regions::addFree);
        return regions.worthEmptying()
                .limit(TRIES_MAX)
                .mapToObj(region -> plan(regions, region, blocks, freeRuns))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<Plan> plan(
            PackedRegions regions, int region, Iterable<PlacedBlock> blocks, List<Extent> freeRuns) {
        List<PlacedBlock> leaving = new ArrayList<>();
        for (PlacedBlock placed : blocks) {
            if (!regions.part(region, placed.extent()).isEmpty()) {
                leaving.add(placed);
            }
        }
        leaving.sort(LONGEST_FIRST);
        ExtentAllocator holes = holes(regions, region, freeRuns);
        ExtentAllocator longRuns = longRuns(regions.region(region), freeRuns);
        List<Move> moves = new ArrayList<>(leaving.size());
        for (PlacedBlock placed : leaving) {
            long length = placed.extent().lengthBytes();
            ExtentAllocator targets = holes.largestFreeBytes() >= length ? holes : longRuns;
            if (targets.largestFreeBytes() < length) {
                return Optional.empty();
            }
            moves.add(new Move(placed.block(), placed.extent(), highest(targets, length)));
        }
        moves.sort(Comparator.comparingLong(move -> move.from().offsetBytes()));
        return Optional.of(new Plan(regions.region(region), regions.deadBytes(region), moves));
    }

    /** What is free between the short blocks of other regions. */
    private ExtentAllocator holes(PackedRegions regions, int leaving, List<Extent> freeRuns) {
        ExtentAllocator holes = nothingFree();
        for (Extent run : freeRuns) {
            if (run.lengthBytes() < regionBytes) {
                regions.regionsOf(run)
                        .filter(region -> region != leaving && regions.isPacked(region))
                        .forEach(region -> holes.release(regions.part(region, run)));
            }
        }
        return holes;
    }

    /** Free runs outside of the region that stay long when they take in all that the region can hold. */
    private ExtentAllocator longRuns(Extent leaving, List<Extent> freeRuns) {
        ExtentAllocator runs = nothingFree();
        for (Extent run : freeRuns) {
            Extent below = between(run.offsetBytes(), Math.min(run.endBytes(), leaving.offsetBytes()));
            Extent above = between(Math.max(run.offsetBytes(), leaving.endBytes()), run.endBytes());
            for (Extent part : List.of(below, above)) {
                if (part.lengthBytes() >= 2 * regionBytes) {
                    runs.release(part);
                }
            }
        }
        return runs;
    }

    private ExtentAllocator nothingFree() {
        ExtentAllocator allocator = new ExtentAllocator(area, 0);
        allocator.claim(area);
        return allocator;
    }

    private static Extent between(long start, long end) {
        return start < end ? new Extent(start, end - start) : Extent.EMPTY;
    }

    private static Extent highest(ExtentAllocator targets, long lengthBytes) {
        try {
            return targets.allocate(lengthBytes, lengthBytes, ExtentAllocator.End.HIGH);
        } catch (TatamiException e) {
            throw new IllegalStateException(ErrorCode.NO_SPACE + " although there is a run of " + lengthBytes, e);
        }
    }
}
