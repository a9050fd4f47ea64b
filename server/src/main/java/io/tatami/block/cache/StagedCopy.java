package io.tatami.block.cache;

import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.device.PendingAccess;
import io.tatami.block.volume.UnitCopies;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One reader's use of a unit on the tier, which keeps its slot until it ends. For one thread. */
final class StagedCopy implements UnitCopies.Copy {
    private static final Logger LOG = LoggerFactory.getLogger(StagedCopy.class);

    private final CacheTier tier;
    private final SlotDevice device;
    private final StagedUnit unit;
    private final boolean readsToItsEnd;
    private @Nullable PendingAccess fetched;

    StagedCopy(CacheTier tier, SlotDevice device, StagedUnit unit, boolean readsToItsEnd) {
        this.tier = tier;
        this.device = device;
        this.unit = unit;
        this.readsToItsEnd = readsToItsEnd;
    }

    @Override
    public boolean awaitReady() {
        boolean settled;
        try {
            settled = unit.settled.await(device.waitMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        if (!settled) {
            waitedInVain();
        }
        return settled && tier.isReady(unit);
    }

    @Override
    public PendingAccess fetch(long start, long end, AlignedBuffer into) {
        PendingAccess begun =
                device.fetch(unit.slot, start % Device.UNIT_BYTES, (int) Device.alignUp(end - start), into);
        fetched = begun;
        return begun;
    }

    @Override
    public long waitMillisMax() {
        return device.waitMillis();
    }

    private void waitedInVain() {
        if (device.waitedInVain()) {
            tier.stop(device.noAnswer());
        }
    }

    @Override
    public void tooLate() {
        waitedInVain();
        tier.giveUpAfterUse(unit);
    }

    @Override
    public void done() {
        if (fetched != null && fetched.isDone()) {
            device.answered();
        }
        tier.endUse(unit, readsToItsEnd);
    }

    @Override
    public void bad() {
        LOG.warn("a copy of unit {} of {} on {} fails its checksums", unit.key.unit(), unit.key.block(), device.name());
        tier.countDamaged();
        tier.giveUpAfterUse(unit);
    }

    @Override
    public void failed(TatamiException failure) {
        tier.stop(failure);
        tier.giveUpAfterUse(unit);
    }
}
