package io.tatami.block.cache;

import io.tatami.block.device.Device;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The plans there are, and whose turn it is. Each active plan may have an equal share of the tier waiting for its readers,
 * and no more than its window; they take turns of up to 64 MiB of one block, so that the volume is read in long runs. A
 * plan that has more than its share because others came stages nothing until its readers have caught up; nothing is taken
 * from it. Guarded by the tier's lock.
 */
final class PlanBook {
    private static final int TURN_UNITS = 16;

    /** How far behind the reader that is furthest ahead a copy must lie before it is taken for passed over. */
    private static final int BEHIND_UNITS_MIN = 64;

    private final TierSpace space;
    private final Map<PlanId, ReadPlan> plans = new LinkedHashMap<>();

    PlanBook(TierSpace space) {
        this.space = space;
    }

    /** Units of one block, one behind the other, that are to be staged now for a plan. */
    record Turn(ReadPlan plan, PlannedRange range, List<StagedUnit> units) {}

    Collection<ReadPlan> plans() {
        return plans.values();
    }

    @Nullable
    ReadPlan get(PlanId id) {
        return plans.get(id);
    }

    void put(ReadPlan plan) {
        plans.put(plan.id(), plan);
    }

    /** Gives a plan up, and what was staged for it and not read. */
    void remove(PlanId id) {
        ReadPlan plan = plans.remove(id);
        if (plan != null) {
            List.copyOf(plan.waiting().values()).forEach(space::giveUp);
        }
    }

    void removeAll() {
        List.copyOf(plans.keySet()).forEach(this::remove);
    }

    /** Removes plans that nobody has read by or asked for in a long time. */
    List<ReadPlan> removeForgotten(long nowNanos) {
        List<ReadPlan> forgotten = new ArrayList<>();
        for (ReadPlan plan : List.copyOf(plans.values())) {
            if (plan.isForgotten(nowNanos)) {
                remove(plan.id());
                forgotten.add(plan);
            }
        }
        return forgotten;
    }

    /** A plan that has a unit yet to be read, or null; where several have, one read serves one of them. */
    @Nullable
    ReadPlan wanting(UnitKey key) {
        for (ReadPlan plan : plans.values()) {
            if (plan.unreadPosition(key) >= 0) {
                return plan;
            }
        }
        return null;
    }

    /** A copy was read. Where a plan will read it again soon, it waits for that; else it may go. */
    void passed(StagedUnit unit) {
        for (ReadPlan plan : plans.values()) {
            int position = plan.unreadPosition(unit.key);
            if (position >= 0 && position <= plan.furthestRead() + shareOf(plan) / 2) {
                space.handOver(unit, plan, position);
                return;
            }
        }
        space.passed(unit);
    }

    /** What to stage next, its slots claimed; null where there is nothing, or no room. */
    @Nullable
    Turn nextTurn() {
        for (ReadPlan plan : List.copyOf(plans.values())) {
            Turn turn = turnOf(plan);
            if (turn != null) {
                plans.remove(plan.id());
                plans.put(plan.id(), plan);
                return turn;
            }
        }
        return null;
    }

    private int shareOf(ReadPlan plan) {
        long active = plans.values().stream().filter(ReadPlan::isActive).count();
        long share = Math.max(1, space.slots() / Math.max(1, active));
        long window = plan.settings().windowBytes();
        return (int) (window == 0 ? share : Math.min(share, Math.max(1, window / Device.UNIT_BYTES)));
    }

    private @Nullable Turn turnOf(ReadPlan plan) {
        int position = skipStaged(plan);
        if (position < 0) {
            return null;
        }
        int share = shareOf(plan);
        giveUpPassedOver(plan, share);
        int room = Math.min(TURN_UNITS, share - plan.waiting().size());
        int end = Math.min(plan.endOfRange(position), position + room);
        List<StagedUnit> units = new ArrayList<>();
        for (int at = position; at < end && plan.nextToStage() == at; at++) {
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

    /** The first position that needs staging; copies that are there for other reasons are taken over. */
    private int skipStaged(ReadPlan plan) {
        int position = plan.nextToStage();
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
            position = plan.nextToStage();
        }
        return -1;
    }

    /** Where a plan is at its share, copies that its readers have left far behind make room. */
    private void giveUpPassedOver(ReadPlan plan, int share) {
        int behind = plan.furthestRead() - Math.max(BEHIND_UNITS_MIN, share / 2);
        while (plan.waiting().size() >= share && plan.waiting().firstKey() < behind) {
            space.giveUp(plan.waiting().firstEntry().getValue());
        }
    }
}
