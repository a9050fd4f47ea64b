package io.tatami.block.cache;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.GuardedDevice;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.PendingAccess;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.UnitCopies;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stages what access plans say will be read, in their order, and gives readers the copies. A unit that nobody planned is
 * never written here. Nothing outlives the process. When the tier's device fails, or does not answer a few times in a
 * row, all of it is given up and readers go on with the volumes. Safe for use by many threads; {@link #stageNext} is called by one.
 */
public final class CacheTier implements UnitCopies, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CacheTier.class);

    /** How long a reader waits for a copy that is being made, or read, before it reads the volume itself. */
    private static final long WAIT_MILLIS = 5_000;

    /** After so many waits in a row for a device that hangs it counts as failed. */
    static final int HANGS_MAX = 3;

    private final GuardedDevice device;
    private final long dataOffset;
    private final FailStop failStop;
    private final IoThreads threads;
    private final UnitSource source;
    private final Clock clock;
    private final LongAdder stagedBytes = new LongAdder();
    private final LongAdder damagedCopies = new LongAdder();
    private final LongAdder hangs = new LongAdder();
    private final long waitMillis;

    private final TierSpace space;
    private final PlanBook plans;
    private boolean closed;
    private int hangsInARow;

    /**
     * @param device closed with this
     * @param dataOffset from where on the device is used, whatever it holds
     * @param threads for reads of copies; closed with this
     */
    public CacheTier(Device device, long dataOffset, IoThreads threads, UnitSource source, Clock clock) {
        this(device, dataOffset, threads, source, clock, WAIT_MILLIS);
    }

    CacheTier(Device device, long dataOffset, IoThreads threads, UnitSource source, Clock clock, long waitMillis) {
        this.waitMillis = waitMillis;
        this.failStop = new FailStop("cache tier " + device.name());
        this.device = new GuardedDevice(device, failStop, clock);
        this.dataOffset = dataOffset;
        this.threads = threads;
        this.source = source;
        this.clock = clock;
        this.space =
                new TierSpace((int) Math.min(Integer.MAX_VALUE, (device.sizeBytes() - dataOffset) / Device.UNIT_BYTES));
        this.plans = new PlanBook(space);
        Check.check(space.slots() > 0, "a cache tier of %d bytes", device.sizeBytes());
    }

    /**
     * How full the tier is. All bytes are those of whole 4 MiB units.
     *
     * @param hangs how often a reader gave up waiting because the device hung
     */
    public record Status(
            String device,
            long capacityBytes,
            long usedBytes,
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
                stagedBytes.sum(),
                damagedCopies.sum(),
                hangs.sum(),
                plans.plans().size(),
                failStop.reason());
    }

    /**
     * Begins a plan, or continues it.
     *
     * @param already how many ranges of the plan were sent before; those of {@code ranges} that are known are passed over,
     *     so that a call may be repeated
     * @throws TatamiException IO_ERROR where the tier has stopped; INVALID_ARGUMENT where ranges are missing between
     */
    public synchronized PlanProgress plan(PlanId id, PlanSettings settings, int already, List<PlannedRange> ranges)
            throws TatamiException {
        failStop.check();
        if (closed) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping");
        }
        ReadPlan known = plans.get(id);
        int count = known == null ? 0 : known.rangeCount();
        if (already > count) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "plan " + id + " has " + count + " ranges here, so that none can come behind " + already
                            + "; it was forgotten or cancelled: plan anew");
        }
        ReadPlan plan = known == null ? new ReadPlan(id, settings, clock.monotonicNanos()) : known;
        plans.put(plan);
        plan.touch(clock.monotonicNanos());
        ranges.stream().skip(plan.rangeCount() - already).forEach(plan::add);
        notifyAll();
        return plan.progress();
    }

    /**
     * How far a plan is; it is remembered for another while.
     *
     * @throws TatamiException NOT_FOUND
     */
    public synchronized PlanProgress progress(PlanId id) throws TatamiException {
        ReadPlan plan = plans.get(id);
        if (plan == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "plan " + id + " is not known here, or not any more");
        }
        plan.touch(clock.monotonicNanos());
        return plan.progress();
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

    /** Drops what there is of a block. */
    public synchronized void forget(BlockId block) {
        space.giveUpAll(block);
    }

    @Override
    public synchronized Answer ask(BlockId block, int unit, long endBytes, boolean readsToItsEnd) {
        UnitKey key = new UnitKey(block, unit);
        StagedUnit staged = space.find(key);
        boolean isReady = staged != null && staged.state == StagedUnit.State.READY;
        ReadPlan plan = plans.wanting(key);
        if (plan != null) {
            plan.touch(clock.monotonicNanos());
            if (readsToItsEnd) {
                plan.markRead(plan.unreadPosition(key), !isReady);
            }
        }
        boolean isPlanned = plan != null;
        long neededBytes = endBytes - (long) unit * Device.UNIT_BYTES;
        if (staged == null || (isReady && staged.lengthBytes < neededBytes)) {
            return new Answer(null, isPlanned);
        }
        space.use(staged);
        return new Answer(new Use(staged, readsToItsEnd), !isReady);
    }

    /**
     * Stages the next run of units, or waits for something to do.
     *
     * @param waitMillis how long at most
     * @return whether anything was staged
     */
    public boolean stageNext(long waitMillis) {
        PlanBook.Turn turn = awaitTurn(waitMillis);
        if (turn == null) {
            return false;
        }
        Deque<StagedUnit> left = new ArrayDeque<>(turn.units());
        try {
            stage(turn.range(), left);
        } catch (TatamiException e) {
            LOG.debug("a part of plan {} is not staged", turn.plan().id(), e);
        } finally {
            endTurn(turn.plan(), left);
        }
        return true;
    }

    private synchronized PlanBook.@Nullable Turn awaitTurn(long waitMillis) {
        forgetOldPlans();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
        PlanBook.Turn turn = plans.nextTurn();
        while (turn == null && !closed) {
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
            if (leftMillis <= 0) {
                return null;
            }
            try {
                wait(leftMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
            turn = plans.nextTurn();
        }
        return turn;
    }

    private void forgetOldPlans() {
        for (ReadPlan plan : plans.removeForgotten(clock.monotonicNanos())) {
            LOG.info("plan {} was not used for long and is forgotten at {}", plan.id(), plan.progress());
        }
    }

    /** Stages units of one block, one behind the other; those that are ready, or given up, are no longer left. */
    private void stage(PlannedRange range, Deque<StagedUnit> left) throws TatamiException {
        long length = source.lengthBytes(range.block(), range.generation());
        long start = (long) left.element().key.unit() * Device.UNIT_BYTES;
        long end = Math.min(length, start + (long) left.size() * Device.UNIT_BYTES);
        if (end <= start) {
            return;
        }
        try (BlockReader reader = source.open(range.block(), range.generation(), start, end - start)) {
            while (!left.isEmpty() && isWanted(left.element())) {
                ReadUnit unit = reader.next();
                if (unit == null) {
                    return;
                }
                try (unit) {
                    copy(unit, left.element());
                }
                left.remove();
            }
        }
    }

    private synchronized boolean isWanted(StagedUnit unit) {
        return unit.state == StagedUnit.State.STAGING && !closed;
    }

    private void copy(ReadUnit from, StagedUnit to) throws TatamiException {
        ByteBuffer bytes = from.data().duplicate();
        int length = bytes.remaining();
        // The unit's buffer is longer, and what lies behind the block's end is never given out.
        bytes.limit((int) Device.alignUp(bytes.limit()));
        try {
            device.write(offsetOf(to), bytes);
        } catch (TatamiException e) {
            stop(e);
            throw e;
        }
        stagedBytes.add(length);
        synchronized (this) {
            space.endUse(to);
            if (to.state == StagedUnit.State.STAGING) {
                to.lengthBytes = length;
                to.state = StagedUnit.State.READY;
                to.settled.countDown();
            }
        }
    }

    private long offsetOf(StagedUnit unit) {
        return dataOffset + (long) unit.slot * Device.UNIT_BYTES;
    }

    /** The first that is left could not be staged; those behind it are tried again. */
    private synchronized void endTurn(ReadPlan plan, Deque<StagedUnit> left) {
        boolean isFirst = true;
        for (StagedUnit unit : left) {
            if (unit.state == StagedUnit.State.STAGING) {
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
    }

    private synchronized void stop(TatamiException failure) {
        if (failStop.reason().isEmpty()) {
            LOG.error("the cache tier {} has failed and is not used any more", device.name(), failure);
        }
        TatamiException unused = failStop.stop(failure);
        plans.removeAll();
        space.giveUpAll();
    }

    /** An access may have begun a while after its reader began to wait, and that the queue is long is no hang. */
    private boolean isHanging() {
        return device.times().longestUnderWayNanos() >= TimeUnit.MILLISECONDS.toNanos(waitMillis) / 2;
    }

    /** A reader has waited in vain. */
    private synchronized void waitedInVain() {
        if (!isHanging()) {
            return;
        }
        hangs.increment();
        hangsInARow++;
        LOG.warn("the cache tier {} does not answer; its volume is read instead", device.name());
        if (hangsInARow >= HANGS_MAX) {
            stop(new TatamiException(
                    ErrorCode.IO_ERROR,
                    device.name() + " did not answer for " + waitMillis + " ms, " + hangsInARow + " times in a row"));
        }
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
        threads.close();
        if (isHanging()) {
            // To close it would wait for the access.
            LOG.warn("the cache tier {} hangs, and is left to the end of this process", device.name());
            return;
        }
        device.close();
    }

    /** One reader's use of a copy. */
    private final class Use implements Copy {
        private final StagedUnit unit;
        private final boolean readsToItsEnd;
        private @Nullable PendingAccess fetched;

        Use(StagedUnit unit, boolean readsToItsEnd) {
            this.unit = unit;
            this.readsToItsEnd = readsToItsEnd;
        }

        @Override
        public boolean awaitReady() {
            boolean settled;
            try {
                settled = unit.settled.await(waitMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            if (!settled) {
                waitedInVain();
            }
            synchronized (CacheTier.this) {
                return settled && unit.state == StagedUnit.State.READY;
            }
        }

        @Override
        public PendingAccess fetch(long start, long end, AlignedBuffer into) {
            long offset = offsetOf(unit) + start % Device.UNIT_BYTES;
            int length = (int) Device.alignUp(end - start);
            PendingAccess begun = threads.stream(AccessKind.READ)
                    .submit(length, () -> device.readFully(offset, into.range(0, length)));
            fetched = begun;
            return begun;
        }

        @Override
        public long waitMillisMax() {
            return waitMillis;
        }

        @Override
        public void tooLate() {
            waitedInVain();
            end(true);
        }

        @Override
        public void done() {
            end(false);
        }

        @Override
        public void bad() {
            damagedCopies.increment();
            LOG.warn(
                    "a copy of unit {} of {} on {} fails its checksums",
                    unit.key.unit(),
                    unit.key.block(),
                    device.name());
            end(true);
        }

        @Override
        public void failed(TatamiException failure) {
            stop(failure);
            end(true);
        }

        private void end(boolean giveUp) {
            synchronized (CacheTier.this) {
                if (giveUp) {
                    space.giveUp(unit);
                } else {
                    hangsInARow = fetched != null && fetched.isDone() ? 0 : hangsInARow;
                    if (readsToItsEnd && unit.state == StagedUnit.State.READY) {
                        plans.passed(unit);
                    }
                }
                space.endUse(unit);
                CacheTier.this.notifyAll();
            }
        }
    }
}
