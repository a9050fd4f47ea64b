package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.block.device.Device;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One access plan on this server: its units in the order in which they will be read, each with a position from 0, and which
 * of them were staged and read. Guarded by the tier's lock.
 */
final class ReadPlan {
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

    private int units;
    private int next;
    private int furthestRead = -1;
    private int lateUnits;
    private int failedUnits;
    private long touchedNanos;

    ReadPlan(PlanId id, PlanSettings settings, long nowNanos) {
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

    void add(PlannedRange range) {
        if (ranges.size() == starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        starts[ranges.size()] = units;
        rangesOfBlock.computeIfAbsent(range.block(), block -> new ArrayList<>()).add(ranges.size());
        ranges.add(range);
        units += range.units();
    }

    /** The first position to be staged, or -1. */
    int nextToStage() {
        next = handled.nextClearBit(next);
        return next < units ? next : -1;
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
        }
    }

    /** A reader has passed a unit, or will without asking again. */
    void markRead(int position, boolean late) {
        read.set(position);
        handled.set(position);
        furthestRead = Math.max(furthestRead, position);
        lateUnits += late ? 1 : 0;
    }

    TreeMap<Integer, StagedUnit> waiting() {
        return waiting;
    }

    int furthestRead() {
        return furthestRead;
    }

    /** Whether it wants room: something is still to be staged, or waits to be read. */
    boolean isActive() {
        return !waiting.isEmpty() || nextToStage() >= 0;
    }

    void touch(long nowNanos) {
        touchedNanos = nowNanos;
    }

    boolean isForgotten(long nowNanos) {
        return nowNanos - touchedNanos >= settings.keepNanos();
    }

    PlanProgress progress() {
        int ready = (int) waiting.values().stream()
                .filter(unit -> unit.state == StagedUnit.State.READY)
                .count();
        int beingStaged = waiting.size() - ready;
        return new PlanProgress(
                bytes(units),
                bytes(units - handled.cardinality() + beingStaged),
                bytes(ready),
                bytes(read.cardinality()),
                bytes(lateUnits),
                bytes(failedUnits));
    }

    private static long bytes(int units) {
        return (long) units * Device.UNIT_BYTES;
    }
}
