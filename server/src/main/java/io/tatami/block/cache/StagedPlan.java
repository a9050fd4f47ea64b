package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.block.device.Device;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * One access plan on this server: its units in the order in which they will be read, each with a position from 0, and
 * which of them were staged and read. Guarded by the tier's lock.
 */
final class StagedPlan {
    private final PlanId id;
    private final PlanSettings settings;
    private final List<PlannedRange> ranges = new ArrayList<>();
    private final Map<BlockId, List<Integer>> rangesOfBlock = new HashMap<>();

    /** Copies that nobody has read yet, by position. */
    private final TreeMap<Integer, StagedUnit> waiting = new TreeMap<>();

    /** Positions that need not be staged any more. */
    private final BitSet handled = new BitSet();

    private final BitSet read = new BitSet();

    /** Where each range begins. */
    private int[] starts = new int[16];

    /** The volume of each range. */
    private int[] volumes = new int[16];

    /** Before which nothing of each volume is left to be staged. */
    private final int[] nextOfVolume;

    private int units;
    private int next;
    private int beingStaged;
    private int furthestRead = -1;
    private int lateUnits;
    private int failedUnits;
    private long touchedNanos;

    StagedPlan(PlanId id, PlanSettings settings, int volumeCount, long nowNanos) {
        this.nextOfVolume = new int[volumeCount];
        this.id = id;
        this.settings = settings;
        this.touchedNanos = nowNanos;
    }

    PlanId id() {
        return id;
    }

    PlanSettings settings() {
        return settings;
    }

    int rangeCount() {
        return ranges.size();
    }

    /** @param volume from which the range will be staged */
    void add(PlannedRange range, int volume) {
        if (ranges.size() == starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
            volumes = Arrays.copyOf(volumes, starts.length);
        }
        starts[ranges.size()] = units;
        volumes[ranges.size()] = volume;
        rangesOfBlock.computeIfAbsent(range.block(), block -> new ArrayList<>()).add(ranges.size());
        ranges.add(range);
        units += range.units();
    }

    /** The first position to be staged from a volume, or -1. */
    int nextToStage(int volume) {
        int position = handled.nextClearBit(nextOfVolume[volume]);
        while (position < units && volumes[indexOf(position)] != volume) {
            position = handled.nextClearBit(endOfRange(position));
        }
        nextOfVolume[volume] = position;
        return position < units ? position : -1;
    }

    /** Whether something is to be staged yet. */
    boolean hasMoreToStage() {
        next = handled.nextClearBit(next);
        return next < units;
    }

    /** How many positions before one are to be staged yet, counted up to {@code limit}. */
    int unstagedBefore(int position, int limit) {
        int count = 0;
        for (int at = handled.nextClearBit(next); at < position && count < limit; at = handled.nextClearBit(at + 1)) {
            count++;
        }
        return count;
    }

    boolean isRead(int position) {
        return read.get(position);
    }

    boolean isHandled(int position) {
        return handled.get(position);
    }

    PlannedRange rangeAt(int position) {
        return ranges.get(indexOf(position));
    }

    UnitKey unitAt(int position) {
        int index = indexOf(position);
        PlannedRange range = ranges.get(index);
        return new UnitKey(range.block(), range.firstUnit() + position - starts[index]);
    }

    /** Where the range of a position ends. */
    int endOfRange(int position) {
        int index = indexOf(position);
        return starts[index] + ranges.get(index).units();
    }

    private int indexOf(int position) {
        int found = Arrays.binarySearch(starts, 0, ranges.size(), position);
        return found >= 0 ? found : -found - 2;
    }

    /** The first position of a unit that was not read yet, or -1. */
    int unreadPosition(UnitKey unit) {
        for (int index : rangesOfBlock.getOrDefault(unit.block(), List.of())) {
            PlannedRange range = ranges.get(index);
            int position = starts[index] + unit.unit() - range.firstUnit();
            if (range.contains(unit.block(), unit.unit()) && !read.get(position)) {
                return position;
            }
        }
        return -1;
    }

    /** How many units of a block were not read yet. */
    int unreadUnits(BlockId block) {
        int count = 0;
        for (int index : rangesOfBlock.getOrDefault(block, List.of())) {
            int end = starts[index] + ranges.get(index).units();
            for (int at = read.nextClearBit(starts[index]); at < end; at = read.nextClearBit(at + 1)) {
                count++;
            }
        }
        return count;
    }

    void markHandled(int position) {
        handled.set(position);
    }

    void markFailed(int position) {
        handled.set(position);
        failedUnits++;
    }

    /** It is to be staged after all, unless it was read meanwhile. */
    void markUnhandled(int position) {
        if (!read.get(position)) {
            handled.clear(position);
            next = Math.min(next, position);
            int volume = volumes[indexOf(position)];
            nextOfVolume[volume] = Math.min(nextOfVolume[volume], position);
        }
    }

    /** A reader has passed a unit, or will without asking again. */
    void markRead(int position, boolean late) {
        read.set(position);
        handled.set(position);
        furthestRead = Math.max(furthestRead, position);
        lateUnits += late ? 1 : 0;
    }

    /** A unit that is being staged, or is ready, waits for this plan's readers. */
    void addWaiting(StagedUnit unit) {
        waiting.put(unit.position, unit);
        beingStaged += unit.state == StagedUnit.State.STAGING ? 1 : 0;
    }

    /** It does no longer. */
    void removeWaiting(StagedUnit unit) {
        if (waiting.remove(unit.position, unit)) {
            beingStaged -= unit.state == StagedUnit.State.STAGING ? 1 : 0;
        }
    }

    /** A unit that waits becomes ready. */
    void waitingIsReady() {
        beingStaged--;
    }

    NavigableMap<Integer, StagedUnit> waiting() {
        return Collections.unmodifiableNavigableMap(waiting);
    }

    /** How many units are ready and wait to be read. */
    int readyUnits() {
        return waiting.size() - beingStaged;
    }

    int furthestRead() {
        return furthestRead;
    }

    /** Whether it wants room: something is still to be staged, or waits to be read. */
    boolean isActive() {
        return !waiting.isEmpty() || hasMoreToStage();
    }

    void touch(long nowNanos) {
        touchedNanos = nowNanos;
    }

    boolean isForgotten(long nowNanos) {
        return nowNanos - touchedNanos >= settings.keepNanos();
    }

    PlanProgress progress() {
        return new PlanProgress(
                bytes(units),
                bytes(units - handled.cardinality() + beingStaged),
                bytes(readyUnits()),
                bytes(read.cardinality()),
                bytes(lateUnits),
                bytes(failedUnits));
    }

    private static long bytes(int units) {
        return (long) units * Device.UNIT_BYTES;
    }
}
