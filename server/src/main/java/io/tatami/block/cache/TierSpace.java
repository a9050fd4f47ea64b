package io.tatami.block.cache;

import io.tatami.base.BlockId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The slots of the tier and what is in them. Room is made from copies that were read, those first that were read first;
 * what still waits for its reader is not given up for something else. Guarded by the tier's lock.
 */
final class TierSpace {
    private final int slots;
    private final Deque<Integer> free = new ArrayDeque<>();
    private final Map<BlockId, Map<Integer, StagedUnit>> units = new HashMap<>();
    private final LinkedHashSet<StagedUnit> read = new LinkedHashSet<>();

    TierSpace(int slots) {
        this.slots = slots;
        for (int slot = 0; slot < slots; slot++) {
            free.add(slot);
        }
    }

    int slots() {
        return slots;
    }

    int usedSlots() {
        return slots - free.size();
    }

    /** A copy that is ready or being made. */
    @Nullable
    StagedUnit find(UnitKey key) {
        return units.getOrDefault(key.block(), Map.of()).get(key.unit());
    }

    /** A slot for a unit that has none, in use by whoever fills it; null where there is no room. */
    @Nullable
    StagedUnit claim(UnitKey key, StagedPlan plan, int position) {
        if (free.isEmpty()) {
            StagedUnit victim = firstReadUnused();
            if (victim == null) {
                return null;
            }
            giveUp(victim);
        }
        StagedUnit unit = new StagedUnit(key, free.remove(), plan, position);
        unit.uses = 1;
        units.computeIfAbsent(key.block(), block -> new HashMap<>()).put(key.unit(), unit);
        plan.addWaiting(unit);
        return unit;
    }

    /** The bytes of a unit that was being staged are in its slot. */
    void ready(StagedUnit unit, int lengthBytes) {
        if (unit.waitingFor != null) {
            unit.waitingFor.waitingIsReady();
        }
        unit.lengthBytes = lengthBytes;
        unit.state = StagedUnit.State.READY;
        unit.settled.countDown();
    }

    private @Nullable StagedUnit firstReadUnused() {
        for (StagedUnit unit : read) {
            if (unit.uses == 0) {
                return unit;
            }
        }
        return null;
    }

    /** No plan waits for the unit any more: it may go when room is needed, or goes now. */
    void passed(StagedUnit unit) {
        leavePlan(unit);
        if (unit.isToBeReleased()) {
            giveUp(unit);
        } else if (unit.state != StagedUnit.State.GONE) {
            read.add(unit);
        }
    }

    /** A copy that was read, or still waits for a reader of another plan, waits for this one. */
    void handOver(StagedUnit unit, StagedPlan plan, int position) {
        leavePlan(unit);
        read.remove(unit);
        unit.waitingFor = plan;
        unit.position = position;
        plan.markHandled(position);
        plan.addWaiting(unit);
    }

    /** Whether a copy is only kept because nothing else needed its room yet. */
    boolean isRead(StagedUnit unit) {
        return read.contains(unit);
    }

    void giveUp(StagedUnit unit) {
        if (unit.state == StagedUnit.State.GONE) {
            return;
        }
        leavePlan(unit);
        unit.state = StagedUnit.State.GONE;
        unit.settled.countDown();
        read.remove(unit);
        units.computeIfPresent(unit.key.block(), (block, ofBlock) -> {
            ofBlock.remove(unit.key.unit());
            return ofBlock.isEmpty() ? null : ofBlock;
        });
        freeIfUnused(unit);
    }

    void giveUpAll() {
        List.copyOf(units.keySet()).forEach(this::giveUpAll);
    }

    long readyBytes(BlockId block) {
        return units.getOrDefault(block, Map.of()).values().stream()
                .filter(unit -> unit.state == StagedUnit.State.READY)
                .mapToLong(unit -> unit.lengthBytes)
                .sum();
    }

    void giveUpAll(BlockId block) {
        List.copyOf(units.getOrDefault(block, Map.of()).values()).forEach(this::giveUp);
    }

    void use(StagedUnit unit) {
        unit.uses++;
    }

    void endUse(StagedUnit unit) {
        unit.uses--;
        if (unit.state == StagedUnit.State.GONE) {
            freeIfUnused(unit);
        }
    }

    private void leavePlan(StagedUnit unit) {
        StagedPlan plan = unit.waitingFor;
        if (plan != null) {
            plan.removeWaiting(unit);
            unit.waitingFor = null;
        }
    }

    private void freeIfUnused(StagedUnit unit) {
        if (unit.uses == 0) {
            free.add(unit.slot);
        }
    }
}
