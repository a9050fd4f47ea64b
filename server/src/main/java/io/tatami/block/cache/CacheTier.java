package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import io.tatami.block.device.Device;
import io.tatami.block.device.IoThreads;
import io.tatami.block.volume.UnitCopies;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stages what access plans say will be read, in their order, and gives readers the copies. A unit that nobody planned
 * is never written here. Nothing outlives the process. When the tier's device fails, or does not answer a few times in
 * a row, all of it is given up and readers go on with the volumes. Safe for use by many threads; {@link #stageNext} is
 * called by one for each volume.
 */
public final class CacheTier implements UnitCopies, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CacheTier.class);

    /** How long a reader waits for a copy that is being made, or read, before it reads the volume itself. */
    private static final long WAIT_MILLIS = 5_000;

    private final SlotDevice device;
    private final TurnStaging staging;
    private final UnitSource source;
    private final Clock clock;
    private final LongAdder stagedBytes = new LongAdder();
    private final LongAdder damagedCopies = new LongAdder();
    private final TierSpace space;
    private final PlanBook plans;
    private boolean closed;

    /**
     * @param device closed with this
     * @param dataOffset from where on the device is used, whatever it holds
     * @param threads for reads of copies; closed with this
     */
    public CacheTier(Device device, long dataOffset, IoThreads threads, UnitSource source, Clock clock) {
        this(device, dataOffset, threads, source, clock, WAIT_MILLIS);
    }

    CacheTier(Device device, long dataOffset, IoThreads threads, UnitSource source, Clock clock, long waitMillis) {
        this.device = new SlotDevice(device, dataOffset, threads, clock, waitMillis);
        this.staging = new TurnStaging(this, this.device, source);
        this.source = source;
        this.clock = clock;
        this.space = new TierSpace(this.device.slots());
        this.plans = new PlanBook(space, source.volumeCount());
    }

    /**
     * How full the tier is. All bytes are those of whole 4 MiB units.
     *
     * @param plannedBytes of all plans, what is to be staged and what is staged and was not read yet
     * @param hangs how often a reader gave up waiting because the device hung
     */
    public record Status(
            String device,
            long capacityBytes,
            long usedBytes,
            long plannedBytes,
            long stagedBytes,
            long damagedCopies,
            long hangs,
            int plans,
            String failure) {}

    public synchronized Status status() {
        return new Status(
                device.name(),
                (long) space.slots() * Device.UNIT_BYTES,
                (long) space.usedSlots() * Device.UNIT_BYTES,
                plans.expectedBytes(),
                stagedBytes.sum(),
                damagedCopies.sum(),
                device.hangs(),
                plans.plans().size(),
                device.failure());
    }

    /**
     * Begins a plan, or continues it.
     *
     * @param already how many ranges of the plan were sent before; those of {@code ranges} that are known are passed
     *     over, so that a call may be repeated
     * @throws TatamiException IO_ERROR where the tier has stopped; INVALID_ARGUMENT where ranges are missing between
     */
    public synchronized PlanProgress plan(PlanId id, PlanSettings settings, int already, List<PlannedRange> ranges)
            throws TatamiException {
        device.requireServing();
        if (closed) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping");
        }
        StagedPlan known = plans.get(id);
        int count = known == null ? 0 : known.rangeCount();
        if (already > count) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "plan " + id + " has " + count + " ranges here, fewer than the preceding " + already
                            + "; it has expired or was cancelled: plan again");
        }
        StagedPlan plan = known == null ? plans.begin(id, settings, clock.monotonicNanos()) : known;
        plan.touch(clock.monotonicNanos());
        for (PlannedRange range : ranges.subList(Math.min(ranges.size(), count - already), ranges.size())) {
            plan.add(range, source.volumeOf(range.block()));
        }
        notifyAll();
        return plan.progress();
    }

    /**
     * How far a plan is; it is remembered for another while.
     *
     * @throws TatamiException NOT_FOUND
     */
    public synchronized PlanProgress progress(PlanId id) throws TatamiException {
        StagedPlan plan = plans.get(id);
        if (plan == null) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND,
                    "plan " + id + " is unknown to this block server; it may have expired or been cancelled");
        }
        plan.touch(clock.monotonicNanos());
        return plan.progress();
    }

    /** How far the newest plans are; they are not remembered longer for it. */
    public synchronized Map<PlanId, PlanProgress> newest(int most) {
        return newest(most, StagedPlan::progress);
    }

    /** Where the newest plans come from, as {@link #newest(int)}. */
    public synchronized Map<PlanId, PlanOrigin> newestOrigins(int most) {
        return newest(most, plan -> plan.settings().origin());
    }

    private <T> Map<PlanId, T> newest(int most, Function<StagedPlan, T> what) {
        Map<PlanId, T> newest = new LinkedHashMap<>();
        plans.plans().stream()
                .skip(Math.max(0, plans.plans().size() - most))
                .forEach(plan -> newest.put(plan.id(), what.apply(plan)));
        return newest;
    }

    /** Gives a plan up; what was staged for it and not read is dropped. Does nothing where it is not known. */
    public synchronized void cancel(PlanId id) {
        plans.remove(id);
        notifyAll();
    }

    /** How many bytes of a block are ready to be read from here. */
    public synchronized long stagedBytes(BlockId block) {
        return space.readyBytes(block);
    }

    /** How many bytes of a block some plan has for readers that have not come yet, in whole units, staged or not. */
    public synchronized long plannedBytes(BlockId block) {
        return (long) plans.unreadUnits(block) * Device.UNIT_BYTES;
    }

    /** Drops what there is of a block. */
    public synchronized void forget(BlockId block) {
        space.giveUpAll(block);
        notifyAll();
    }

    @Override
    public synchronized Answer ask(BlockId block, int unit, long endBytes, boolean readsToItsEnd) {
        UnitKey key = new UnitKey(block, unit);
        StagedUnit staged = space.find(key);
        boolean isReady = staged != null && staged.state == StagedUnit.State.READY;
        List<PlanBook.Expected> expected = plans.expecting(key, staged);
        for (PlanBook.Expected reading : expected) {
            reading.plan().touch(clock.monotonicNanos());
        }
        if (readsToItsEnd) {
            plans.countRead(expected, staged, !isReady);
        }
        boolean isPlanned = !expected.isEmpty();
        long neededBytes = endBytes - (long) unit * Device.UNIT_BYTES;
        if (staged == null || (isReady && staged.lengthBytes < neededBytes)) {
            return new Answer(null, isPlanned);
        }
        space.use(staged);
        return new Answer(new StagedCopy(this, device, staged, readsToItsEnd), !isReady);
    }

    /**
     * Stages the next run of units of a volume, or waits for something to do.
     *
     * @param waitMillis how long at most
     * @return whether anything was staged
     */
    boolean stageNext(int volume, long waitMillis) {
        PlanBook.Turn turn = awaitTurn(volume, waitMillis);
        if (turn == null) {
            return false;
        }
        staging.stage(turn);
        return true;
    }

    private synchronized PlanBook.@Nullable Turn awaitTurn(int volume, long waitMillis) {
        forgetOldPlans();
        WaitLimit limit = WaitLimit.ofMillis(waitMillis);
        PlanBook.Turn turn = plans.nextTurn(volume);
        while (turn == null && !closed) {
            long leftMillis = limit.leftMillis();
            if (leftMillis <= 0) {
                return null;
            }
            try {
                wait(leftMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
            turn = plans.nextTurn(volume);
        }
        return turn;
    }

    private void forgetOldPlans() {
        for (StagedPlan plan : plans.removeForgotten(clock.monotonicNanos())) {
            LOG.info("plan {} was not used for long and is forgotten at {}", plan.id(), plan.progress());
        }
    }

    /** Whether a unit that is being staged is still to be. */
    synchronized boolean isWanted(StagedUnit unit) {
        return unit.state == StagedUnit.State.STAGING && !closed;
    }

    /** A unit's bytes are in its slot. */
    synchronized void staged(StagedUnit unit, int lengthBytes) {
        stagedBytes.add(lengthBytes);
        space.endUse(unit);
        if (unit.state == StagedUnit.State.STAGING) {
            space.ready(unit, lengthBytes);
        }
    }

    /** The first that is left could not be staged; those behind it are tried again. */
    synchronized void endTurn(Deque<StagedUnit> left) {
        boolean isFirst = true;
        for (StagedUnit unit : left) {
            StagedPlan plan = unit.waitingFor;
            if (plan != null && unit.state == StagedUnit.State.STAGING) {
                if (isFirst) {
                    plan.markFailed(unit.position);
                } else {
                    plan.markUnhandled(unit.position);
                }
            }
            isFirst = false;
            space.giveUp(unit);
            space.endUse(unit);
        }
        notifyAll();
    }

    /** The device failed: nothing is staged any more, and what was is given up. */
    synchronized void stop(TatamiException failure) {
        device.stop(failure);
        plans.removeAll();
        space.giveUpAll();
    }

    synchronized boolean isReady(StagedUnit unit) {
        return unit.state == StagedUnit.State.READY;
    }

    void countDamaged() {
        damagedCopies.increment();
    }

    /** A reader has done with a copy that is of no more use. */
    synchronized void giveUpAfterUse(StagedUnit unit) {
        space.giveUp(unit);
        space.endUse(unit);
        notifyAll();
    }

    /** A reader has done with a copy; where it {@code hasPassed} the unit, the plans have had their read. */
    synchronized void endUse(StagedUnit unit, boolean hasPassed) {
        if (hasPassed && unit.state == StagedUnit.State.READY) {
            plans.passed(unit);
        }
        space.endUse(unit);
        notifyAll();
    }

    @Override
    public boolean answersSoon() {
        return device.answersSoon();
    }

    /** Whether an access of the tier's device takes so long that none of a slow device would. */
    boolean isStuck() {
        return device.isStuck();
    }

    /** Takes no further plan and gives those there are up, so that {@link #stageNext} returns soon. */
    synchronized void end() {
        closed = true;
        plans.removeAll();
        notifyAll();
    }

    /** Gives everything up; readers that use a copy at this moment go on with the volume. */
    @Override
    public void close() throws TatamiException {
        end();
        synchronized (this) {
            space.giveUpAll();
        }
        device.close();
    }
}
