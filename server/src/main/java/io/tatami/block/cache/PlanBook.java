package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.block.device.Device;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The plans there are, and whose turn it is. Each active plan may have an equal share of the tier waiting for its
 * readers, and no more than its window; they take turns of up to 64 MiB of one block, so that the volume is read in
 * long runs. A plan that has more than its share because others came stages nothing until its readers have caught up;
 * nothing is taken from it.
 *
 * <p>Volumes are staged from side by side, each with turns of its own. What is further on in a plan's order gets no
 * room that something before it will need, but for half of the share: so much is staged ahead of a volume that is slow
 * or hangs. Where there are several volumes, what is under way on all of them is no more than the other half. Guarded
 * by the tier's lock.
 */
final class PlanBook {
    private static final int TURN_UNITS = 16;

    /** How far behind the reader that is furthest ahead a copy must lie before it is taken for passed over. */
    private static final int BEHIND_UNITS_MIN = 64;

    private final TierSpace space;
    private final Map<PlanId, StagedPlan> plans = new LinkedHashMap<>();

    /** For each volume, the plan whose turn was longest ago first. */
    private final List<LinkedHashSet<StagedPlan>> rotations = new ArrayList<>();

    PlanBook(TierSpace space, int volumeCount) {
        this.space = space;
        for (int volume = 0; volume < volumeCount; volume++) {
            rotations.add(new LinkedHashSet<>());
        }
    }

    /** Units of one block, one behind the other, that are to be staged now for a plan. */
    record Turn(StagedPlan plan, PlannedRange range, List<StagedUnit> units) {}

    Collection<StagedPlan> plans() {
        return plans.values();
    }

    @Nullable
    StagedPlan get(PlanId id) {
        return plans.get(id);
    }

    /** Of all plans, the bytes that are to be staged, and those that are staged and were not read yet. */
    long expectedBytes() {
        return plans.values().stream()
                .map(StagedPlan::progress)
                .mapToLong(progress -> progress.remainingBytes() + progress.waitingBytes())
                .sum();
    }

    /** How many units of a block were not read yet, by the plan that has the most of them. */
    int unreadUnits(BlockId block) {
        return plans.values().stream()
                .mapToInt(plan -> plan.unreadUnits(block))
                .max()
                .orElse(0);
    }

    /** A new plan, of nothing yet. */
    StagedPlan begin(PlanId id, PlanSettings settings, long nowNanos) {
        StagedPlan plan = new StagedPlan(id, settings, rotations.size(), nowNanos);
        plans.put(id, plan);
        rotations.forEach(rotation -> rotation.add(plan));
        return plan;
    }

    /** Gives a plan up, and what was staged for it, was not read and is no other plan's. */
    void remove(PlanId id) {
        StagedPlan plan = plans.remove(id);
        if (plan != null) {
            rotations.forEach(rotation -> rotation.remove(plan));
            List.copyOf(plan.waiting().values()).forEach(this::leaveToAnother);
        }
    }

    private void leaveToAnother(StagedUnit unit) {
        for (StagedPlan plan : plans.values()) {
            int position = plan.unreadPosition(unit.key);
            // Counted as staged because this copy was there; it would not be staged again.
            if (position >= 0 && plan.isHandled(position)) {
                space.handOver(unit, plan, position);
                return;
            }
        }
        space.giveUp(unit);
    }

    void removeAll() {
        List.copyOf(plans.keySet()).forEach(this::remove);
    }

    /** Removes plans that nobody has read by or asked for in a long time. */
    List<StagedPlan> removeForgotten(long nowNanos) {
        List<StagedPlan> forgotten = new ArrayList<>();
        for (StagedPlan plan : List.copyOf(plans.values())) {
            if (plan.isForgotten(nowNanos)) {
                remove(plan.id());
                forgotten.add(plan);
            }
        }
        return forgotten;
    }

    /** A unit at a position of a plan that is yet to be read. */
    record Expected(StagedPlan plan, int position) {}

    /**
     * What a read of a unit counts for. Nobody says whose reader it is, so it counts for each plan that has the unit
     * and whose readers may have come so far: for which it is staged, or of whose readers it is no further ahead than
     * the plan's share. Where that is none, it counts for all that have it.
     *
     * @param staged the unit's copy
     */
    List<Expected> expecting(UnitKey key, @Nullable StagedUnit staged) {
        List<Expected> all = new ArrayList<>();
        for (StagedPlan plan : plans.values()) {
            int position = plan.unreadPosition(key);
            if (position >= 0) {
                all.add(new Expected(plan, position));
            }
        }
        if (all.size() <= 1) {
            return all;
        }
        List<Expected> near =
                all.stream().filter(expected -> isNear(expected, staged)).toList();
        return near.isEmpty() ? all : near;
    }

    private boolean isNear(Expected expected, @Nullable StagedUnit staged) {
        StagedPlan plan = expected.plan();
        return (staged != null && staged.waitingFor == plan)
                || expected.position() <= (long) plan.furthestRead() + shareOf(plan);
    }

    /**
     * A reader passes a unit, or will without asking again. The copy may have to serve a read for each of the plans.
     *
     * @param late whether there was no copy yet
     */
    void countRead(List<Expected> expected, @Nullable StagedUnit staged, boolean late) {
        for (Expected reading : expected) {
            reading.plan().markRead(reading.position(), late);
            if (staged != null) {
                staged.owe(reading.plan().settings().releaseAfterRead());
            }
        }
    }

    /** A copy was read. Where a plan will read it yet, or again soon, it waits for that; else it may go. */
    void passed(StagedUnit unit) {
        unit.hadRead();
        if (unit.waitingFor != null && !unit.waitingFor.isRead(unit.position)) {
            return;
        }
        for (StagedPlan plan : plans.values()) {
            int position = plan.unreadPosition(unit.key);
            if (position >= 0 && position <= plan.furthestRead() + shareOf(plan) / 2) {
                space.handOver(unit, plan, position);
                return;
            }
        }
        space.passed(unit);
    }

    /** What to stage next from a volume, its slots claimed; null where there is nothing, or no room. */
    @Nullable
    Turn nextTurn(int volume) {
        LinkedHashSet<StagedPlan> rotation = rotations.get(volume);
        for (StagedPlan plan : List.copyOf(rotation)) {
            Turn turn = turnOf(plan, volume);
            if (turn != null) {
                rotation.remove(plan);
                rotation.add(plan);
                return turn;
            }
        }
        return null;
    }

    private int shareOf(StagedPlan plan) {
        long active = plans.values().stream().filter(StagedPlan::isActive).count();
        long share = Math.max(1, space.slots() / Math.max(1, active));
        long window = plan.settings().windowBytes();
        return (int) (window == 0 ? share : Math.min(share, Math.max(1, window / Device.UNIT_BYTES)));
    }

    private @Nullable Turn turnOf(StagedPlan plan, int volume) {
        int position = skipStaged(plan, volume);
        if (position < 0) {
            return null;
        }
        int share = shareOf(plan);
        giveUpPassedOver(plan, share);
        int room = Math.min(turnUnits(share), roomAt(plan, position, share));
        int end = Math.min(plan.endOfRange(position), position + room);
        List<StagedUnit> units = new ArrayList<>();
        for (int at = position; at < end && !plan.isHandled(at); at++) {
            UnitKey key = plan.unitAt(at);
            StagedUnit unit = space.find(key) == null ? space.claim(key, plan, at) : null;
            if (unit == null) {
                break;
            }
            plan.markHandled(at);
            units.add(unit);
        }
        return units.isEmpty() ? null : new Turn(plan, plan.rangeAt(position), units);
    }

    /** With several volumes, turns of half of them may be under way for ever, and must not take the whole share. */
    private int turnUnits(int share) {
        int volumes = rotations.size();
        return volumes == 1 ? TURN_UNITS : Math.max(1, Math.min(TURN_UNITS, share / (2 * volumes)));
    }

    /**
     * How many units may be staged from a position on: what those before it leave, or what is kept for going ahead of
     * them.
     */
    private static int roomAt(StagedPlan plan, int position, int share) {
        int room = share - plan.waiting().size();
        int inOrder = room - plan.unstagedBefore(position, room);
        int ahead = Math.min(room, (share + 1) / 2 - plan.readyUnits());
        return Math.max(inOrder, ahead);
    }

    /** The first position that needs staging from a volume; copies that are there for other reasons are taken over. */
    private int skipStaged(StagedPlan plan, int volume) {
        int position = plan.nextToStage(volume);
        while (position >= 0) {
            StagedUnit there = space.find(plan.unitAt(position));
            if (there == null) {
                return position;
            }
            if (space.isRead(there)) {
                space.handOver(there, plan, position);
            } else {
                plan.markHandled(position);
            }
            position = plan.nextToStage(volume);
        }
        return -1;
    }

    /** Where a plan is at its share, copies that its readers have left far behind make room. */
    private void giveUpPassedOver(StagedPlan plan, int share) {
        int behind = plan.furthestRead() - Math.max(BEHIND_UNITS_MIN, share / 2);
        while (plan.waiting().size() >= share && plan.waiting().firstKey() < behind) {
            space.giveUp(plan.waiting().firstEntry().getValue());
        }
    }
}
